// SPDX-License-Identifier: Apache-2.0
//
// See cascade.hpp.
#include "hwse/viola_jones/cascade.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "hwse/viola_jones/xml.hpp"

namespace faces {
namespace {

constexpr float kSlack = 1e-5F;  // by which OpenCV lowers the thresholds of stages
constexpr double kWindowMax = 128;

int whole_number(double value, double low, double high) {
  if (!(value >= low && value <= high) || value != static_cast<int>(value)) {
    throw std::runtime_error("a number is out of range");
  }
  return static_cast<int>(value);
}

std::vector<Rectangle> read_feature(const Element& feature, const Cascade& cascade) {
  if (feature.has("tilted") && feature.child("tilted").numbers(1)[0] != 0) {
    throw std::runtime_error("tilted rectangles");
  }
  std::vector<Rectangle> rectangles;
  for (const Element& one : feature.child("rects").children) {
    const std::vector<double> numbers = one.numbers(5);
    const int x = whole_number(numbers[0], 0, cascade.width);
    const int y = whole_number(numbers[1], 0, cascade.height);
    rectangles.push_back({.x = x,
                          .y = y,
                          .width = whole_number(numbers[2], 0, cascade.width - x),
                          .height = whole_number(numbers[3], 0, cascade.height - y),
                          .weight = static_cast<float>(numbers[4])});
  }
  if (rectangles.size() < 2 || rectangles.size() > VJ_RECTANGLES) {
    throw std::runtime_error("a feature of less than two or more than three rectangles");
  }
  return rectangles;
}

Stage read_stage(const Element& stage, const std::vector<Element>& features,
                 const Cascade& cascade) {
  Stage result{{}, static_cast<float>(stage.child("stageThreshold").numbers(1)[0]) - kSlack};
  for (const Element& stump : stage.child("weakClassifiers").children) {
    // Left and right child, feature, threshold. A child that is no node is a leaf, 0 or -1.
    const std::vector<double> node = stump.child("internalNodes").numbers(4);
    const std::vector<double> leaves = stump.child("leafValues").numbers(2);
    if (node[0] != 0 || node[1] != -1) throw std::runtime_error("trees of more than one node");
    const auto feature = static_cast<std::size_t>(
        whole_number(node[2], 0, static_cast<double>(features.size()) - 1));
    result.stumps.push_back({.rectangles = read_feature(features[feature], cascade),
                             .threshold = static_cast<float>(node[3]),
                             .below = static_cast<float>(leaves[0]),
                             .above = static_cast<float>(leaves[1])});
  }
  return result;
}

Cascade parse(const std::string& text) {
  const Element root = parse_xml(text);
  const Element& top = root.child("cascade");
  Cascade cascade{.width = whole_number(top.child("width").numbers(1)[0], 3, kWindowMax),
                  .height = whole_number(top.child("height").numbers(1)[0], 3, kWindowMax),
                  .stages = {}};
  for (const Element& stage : top.child("stages").children) {
    cascade.stages.push_back(read_stage(stage, top.child("features").children, cascade));
  }
  return cascade;
}

vj_corners corners_of(const Rectangle& r, std::size_t row) {
  const int top_left = r.y * static_cast<int>(row) + r.x;
  const int bottom_left = top_left + r.height * static_cast<int>(row);
  return {{top_left, top_left + r.width, bottom_left, bottom_left + r.width}};
}

}  // namespace

Cascade read_cascade(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf())) {
    throw std::runtime_error("cannot read " + path + ", which the Debian package opencv-data has");
  }
  try {
    return parse(text.str());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": not supported: " + error.what());
  }
}

FlatCascade::FlatCascade(const Cascade& cascade, std::size_t row) {
  for (const Stage& stage : cascade.stages) {
    stages_.push_back({stage.stumps.size(), stage.threshold});
    for (const Stump& stump : stage.stumps) {
      vj_stump flat{.rectangles = {},
                    .weights = {},
                    .threshold = stump.threshold,
                    .below = stump.below,
                    .above = stump.above};
      for (std::size_t i = 0; i < stump.rectangles.size(); ++i) {
        flat.rectangles[i] = corners_of(stump.rectangles[i], row);
        flat.weights[i] = stump.rectangles[i].weight;
      }
      stumps_.push_back(flat);
    }
  }
  const Rectangle inside{1, 1, cascade.width - 2, cascade.height - 2, 1};
  flat_ = {.width = static_cast<std::size_t>(cascade.width),
           .height = static_cast<std::size_t>(cascade.height),
           .inside = corners_of(inside, row),
           .inside_area = static_cast<double>(inside.width) * inside.height,
           .stages = stages_.data(),
           .stumps = stumps_.data(),
           .stage_count = stages_.size()};
}

}  // namespace faces
