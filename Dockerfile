# docker build -t geobias .
# docker run --rm -v "$PWD:/work" -e OPENAI_API_KEY geobias audit openai/gpt-4o-mini
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/geobias-*.whl)[view,retrieval]" \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 geobias \
    && install -d -o geobias -g geobias /work
USER geobias
WORKDIR /work
ENTRYPOINT ["geobias"]
CMD ["--help"]
