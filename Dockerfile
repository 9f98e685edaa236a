# Built where Swift is, run where it is not: all programs carry Swift's libraries in themselves.
#
#   make docker
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/pictures" \
#     frostglass blur photo.jpg blurred.jpg --sigma 20
#
# A GPU: --device /dev/dri with --group-add of the render node's group, or --gpus all for NVIDIA's. Mesa's
# drivers, which /dev/dri needs and which bring LLVM, come with `make docker MESA=mesa`.
# `make integration` builds this file without Docker and tries the image.

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts/deps.sh scripts/models.sh scripts/
RUN scripts/deps.sh build models && scripts/models.sh /models && mkdir -p /models
COPY . .
RUN for program in frostglass frostglass-video frostglass-fetch frostglass-find; do \
      swift build -c release --static-swift-stdlib --product "$program" \
      && strip -o "/$program" ".build/release/$program" || exit 1; \
    done

FROM debian:12-slim
ARG MESA=
COPY packaging/dpkg-small.cfg /etc/dpkg/dpkg.cfg.d/small
COPY packaging/dpkg-no-mesa.cfg /etc/dpkg/dpkg.cfg.d/no-mesa
COPY scripts/deps.sh /tmp/
RUN { [ -z "$MESA" ] || rm /etc/dpkg/dpkg.cfg.d/no-mesa; } && /tmp/deps.sh run video find $MESA \
 && rm -rf /tmp/deps.sh /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /frostglass /usr/local/bin/
COPY --from=build /frostglass-video /frostglass-fetch /frostglass-find /usr/local/libexec/frostglass/
COPY --from=build /models /usr/local/share/frostglass/models/
# NVIDIA's container runtime mounts its EGL driver only when asked for graphics.
ENV NVIDIA_DRIVER_CAPABILITIES=graphics,utility
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin frostglass
USER 10001
# Whether the service is ready, where that is what runs, on its usual port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["bash", "-c", "grep -qzx serve /proc/1/cmdline || exit 0; exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && head -1 <&3 | grep -q ' 200 '"]
EXPOSE 8080
WORKDIR /pictures
ENTRYPOINT ["frostglass"]
CMD ["--help"]
