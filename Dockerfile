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
# Whether the service is ready, where that is what runs, on its usual port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["bash", "-c", "grep -qzx serve /proc/1/cmdline || exit 0; exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && head -1 <&3 | grep -q ' 200 '"]
WORKDIR /pictures
ENTRYPOINT ["frostglass"]
CMD ["--help"]
