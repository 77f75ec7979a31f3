# Everything truespec uses, in one image:  docker build -t truespec .  &&  docker run --rm truespec demo
FROM debian:bookworm

RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      ca-certificates git make procps python3 python3-pip python3-venv \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /truespec
COPY . .
RUN tools/setup && rm -rf /var/lib/apt/lists/*

ENV PATH="/truespec/.venv/bin:$PATH"
ENTRYPOINT ["truespec"]
CMD ["--help"]
