# Everything truespec uses, in one image:  docker build -t truespec .  &&  docker run --rm truespec demo --out /tmp/demo
# Files of yours:  docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" truespec batch pairs.jsonl -o verdicts.jsonl
# The local app:  docker run --rm -p 127.0.0.1:8000:8000 -v "$PWD:/work" truespec serve --host 0.0.0.0 verdicts.jsonl
# Open the printed address with 127.0.0.1 in place of 0.0.0.0.
FROM debian:bookworm

RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      ca-certificates git make procps python3 python3-pip python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home truespec \
 && install -d -m 0777 /work

WORKDIR /truespec
COPY . .
RUN tools/setup && rm -rf /var/lib/apt/lists/* ~/.cache

ENV PATH="/truespec/.venv/bin:$PATH"
# Nothing below needs root: the database servers run as whoever starts them.
USER truespec
WORKDIR /work
ENTRYPOINT ["truespec"]
CMD ["--help"]
