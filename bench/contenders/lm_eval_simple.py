"""lm-eval's simple_evaluate(), single questions, samples logged in memory as it does by default."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import workloads as w

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
os.environ["OPENAI_API_KEY"] = "none"

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

TASK = """
task: bench_{name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: []
  temperature: 0
  max_gen_toks: {tokens}
metric_list:
  - metric: exact_match
metadata:
  version: 1
"""


def run(url: str, work: w.Work, folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = [{"question": w.opening(game), "answer": "1"} for game in w.games(work)]
    data = folder / "data.json"
    data.write_text("\n".join(json.dumps(row) for row in rows))
    os.environ["HF_HOME"] = str(folder / "hf")
    task = TASK.format(name=folder.name.replace("-", "_"), data=data, tokens=w.MAX_TOKENS)
    (folder / "bench.yaml").write_text(task)
    simple_evaluate(
        model="local-chat-completions",
        model_args={
            "model": "sim",
            "base_url": url + "/chat/completions",
            "num_concurrent": w.CONCURRENCY,
            "max_retries": 3,
            "tokenized_requests": False,
        },
        tasks=[f"bench_{folder.name.replace('-', '_')}"],
        task_manager=TaskManager(include_path=str(folder)),
        apply_chat_template=True,
        bootstrap_iters=0,
    )


def main() -> None:
    given = w.arguments()
    folder = Path(given.folder)
    run(given.url, w.WARM_UP, folder / "warm-up")
    work = w.WORKLOADS[given.workload]
    assert work.turns == 1
    meter = w.Meter()
    run(given.url, work, folder / "bench")
    meter.report(work)


main()
