# docker build -t outflank .
# docker run --rm outflank search --time 5
# docker run --rm -p 8000:8000 -v games:/home/outflank/games outflank serve --host 0.0.0.0 --games games/games.sqlite
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/outflank && /opt/outflank/bin/pip install --no-cache-dir '.[web]'

FROM python:3.13-slim
COPY --from=build /opt/outflank /opt/outflank
RUN useradd --create-home outflank && install -d -o outflank /home/outflank/games
ENV PATH=/opt/outflank/bin:$PATH
USER outflank
WORKDIR /home/outflank
# Kernels are compiled for the processor of the machine that builds the image. Another one compiles them again.
RUN outflank warm
EXPOSE 8000
ENTRYPOINT ["outflank"]
CMD ["search"]
