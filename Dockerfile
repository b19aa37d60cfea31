# docker build -t geobias .
# docker run --rm -v "$PWD:/work" -e OPENAI_API_KEY geobias audit openai/gpt-4o-mini
ARG BASE=python:3.12-slim-bookworm

FROM ${BASE} AS requirements
COPY pyproject.toml ./
RUN python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; more = project["optional-dependencies"]; print(*project["dependencies"], *more["view"], sep="\n")' > requirements.txt

FROM ${BASE} AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM ${BASE}
# The requirements have a layer of their own, which a change of the source leaves as it is.
COPY constraints.txt /pins/
COPY --from=requirements requirements.txt /pins/
RUN pip install --no-cache-dir -r /pins/requirements.txt -c /pins/constraints.txt
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-deps /wheels/geobias-*.whl
# The cache is anybody's: under --user there is no home to write to.
RUN useradd --create-home --uid 1000 geobias \
    && install -d -o geobias -g geobias /work \
    && install -d -m 1777 /var/cache/geobias
ENV GEOBIAS_CACHE=/var/cache/geobias
USER geobias
WORKDIR /work
ENTRYPOINT ["geobias"]
CMD ["--help"]
