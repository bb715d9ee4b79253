# docker build -t outflank .
# docker run --rm outflank search --time 5
# docker run --rm -p 8000:8000 -v games:/home/outflank/games outflank serve --host 0.0.0.0 --games games/games.sqlite
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/outflank && /opt/outflank/bin/pip install --no-cache-dir '.[web]'

# Kernels for every machine that may run the image, not only for the one that builds it: docs/kernels.md.
FROM build AS kernels
RUN /opt/outflank/bin/pip install --no-cache-dir '.[wheel]' && /opt/outflank/bin/outflank warm --wheel /wheels

FROM build AS complete
COPY --from=kernels /wheels /wheels
RUN /opt/outflank/bin/pip install --no-cache-dir /wheels/*.whl

FROM python:3.13-slim
COPY --from=complete /opt/outflank /opt/outflank
RUN useradd --create-home outflank && install -d -o outflank /home/outflank/games
ENV PATH=/opt/outflank/bin:$PATH
USER outflank
WORKDIR /home/outflank
EXPOSE 8000
ENTRYPOINT ["outflank"]
CMD ["search"]
