#include "opencv_network.h"

#include <cstdio>
#include <opencv2/dnn.hpp>

struct fgk_network {
  cv::dnn::Net net;
  std::vector<cv::Mat> outputs;
};

namespace {

int say_nothing(int, const char *, const char *, const char *, int, void *) { return 0; }

/// Copies what OpenCV has to say, in one line.
void explain(const char *text, char *reason, size_t room) {
  if (room == 0) return;
  std::snprintf(reason, room, "%s", text);
  for (char *place = reason; *place != 0; place++)
    if (*place == '\n' || *place == '\r') *place = ' ';
}

/// Runs `body`, and turns whatever it throws into a text.
template <typename Body>
bool guarded(char *reason, size_t room, Body body) {
  try {
    body();
    return true;
  } catch (const cv::Exception &error) {
    explain(error.err.c_str(), reason, room);
  } catch (const std::exception &error) {
    explain(error.what(), reason, room);
  } catch (...) {
    explain("an unknown error", reason, room);
  }
  return false;
}

}  // namespace

void fgk_network_prepare(void) {
  char reason[1];
  guarded(reason, sizeof reason, [] {
    cv::redirectError(say_nothing);
    cv::setNumThreads(1);
  });
}

fgk_network *fgk_network_read(const uint8_t *bytes, size_t count, char *reason, size_t room) {
  fgk_network *network = nullptr;
  guarded(reason, room, [&] {
    auto net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(bytes), count);
    if (net.empty()) throw std::runtime_error("it holds no network");
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    network = new fgk_network{net, {}};
  });
  return network;
}

void fgk_network_free(fgk_network *network) { delete network; }

int fgk_network_run(fgk_network *network, const float *planes, int width, int height, const char *const *names,
                   size_t count, char *reason, size_t room) {
  const bool done = guarded(reason, room, [&] {
    const int shape[] = {1, 3, height, width};
    const cv::Mat input(4, shape, CV_32F, const_cast<float *>(planes));
    network->net.setInput(input);
    network->outputs.clear();
    network->net.forward(network->outputs, std::vector<cv::String>(names, names + count));
    for (const cv::Mat &output : network->outputs)
      if (!output.isContinuous()) throw std::runtime_error("an output has gaps");
  });
  return done ? 0 : -1;
}

const float *fgk_network_output(const fgk_network *network, size_t index, int32_t *shape, int32_t *dimensions) {
  *dimensions = 0;
  if (index >= network->outputs.size()) return nullptr;
  const cv::Mat &output = network->outputs[index];
  if (output.type() != CV_32F || output.dims > 8) return nullptr;
  *dimensions = output.dims;
  for (int dimension = 0; dimension < output.dims; dimension++) shape[dimension] = output.size[dimension];
  return output.ptr<float>();
}
