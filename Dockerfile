# Built where Swift is, run where it is not: the command carries Swift's libraries in itself.
#
#   docker build --tag frostglass .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/pictures" \
#     frostglass blur photo.jpg blurred.jpg --sigma 20
#
# A GPU: --device /dev/dri with --group-add of the render node's group, or --gpus all for NVIDIA's.

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts/deps.sh scripts/
RUN scripts/deps.sh build
COPY . .
RUN swift build -c release --static-swift-stdlib --product frostglass \
 && strip -o /frostglass .build/release/frostglass

FROM debian:12-slim
COPY scripts/deps.sh /tmp/deps.sh
RUN /tmp/deps.sh run && rm -rf /tmp/deps.sh /var/lib/apt/lists/*
COPY --from=build /frostglass /usr/local/bin/frostglass
# NVIDIA's container runtime mounts its EGL driver only when asked for graphics.
ENV NVIDIA_DRIVER_CAPABILITIES=graphics,utility
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin frostglass
USER 10001
WORKDIR /pictures
ENTRYPOINT ["frostglass"]
CMD ["--help"]
