// SPDX-License-Identifier: Apache-2.0
#include "cli/run_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "common/sizes.h"
#include "common/terminal.h"

namespace outcore {

namespace {

constexpr unsigned kMapRows = 8;
constexpr unsigned kCurveRows = 3;

// How a state looks: a character of its own, and a colour (ECMA-48) where there are colours.
struct Look {
  char mark;
  const char* colour;
  const char* name;
};
constexpr std::array<Look, kBlockStates> kLooks = {{{'.', "90", "not read"},
                                                    {'-', "37", "left memory"},
                                                    {'#', "32", "in memory"},
                                                    {'>', "36", "in flight"},
                                                    {'R', "31", "read again"},
                                                    {'@', "93", "used now"}}};

const Look& look_of(BlockState state) { return kLooks[static_cast<std::size_t>(state)]; }

std::string cut(const std::string& text, unsigned columns) { return text.substr(0, columns); }

// Values from left to right, as bars of kCurveRows characters: a row is filled by '.', ':' or '|'.
std::string bars(const std::vector<std::uint64_t>& values) {
  constexpr std::string_view kMarks = " .:|";
  constexpr std::uint64_t kSteps = kMarks.size() - 1;
  std::uint64_t most = 1;
  for (const std::uint64_t value : values) most = std::max(most, value);
  std::string text;
  for (unsigned row = kCurveRows; row-- > 0;) {
    text += '\n';
    for (const std::uint64_t value : values) {
      // Rounded up: what is not nothing is seen.
      const double full = static_cast<double>(value) / static_cast<double>(most);
      const auto steps = static_cast<std::uint64_t>(full * kCurveRows * kSteps + 0.999);
      text += kMarks[std::min(kSteps, steps - std::min(steps, row * kSteps))];
    }
  }
  return text;
}

// The last values that fit.
template <typename Values>
std::vector<std::uint64_t> newest(const Values& values, unsigned columns) {
  const auto begin = values.size() - std::min<std::size_t>(values.size(), columns);
  return {values.begin() + static_cast<std::ptrdiff_t>(begin), values.end()};
}

}  // namespace

RunPicture::RunPicture(RunOnScreen of, unsigned columns, bool coloured)
    : of_(std::move(of)),
      columns_(std::min(columns, kMostColumns)),
      coloured_(coloured),
      run_(of_.blocks, std::uint64_t{columns_} * kMapRows) {}

bool RunPicture::sample(const nlohmann::json& sample) {
  seconds_ = sample.at("t");
  kernel_bytes_ = sample.at("kernel_bytes");
  depth_ = std::max(depth_, sample.value("in_flight", std::uint64_t{0}));
  if (++samples_ < kEvery) return false;
  const RunSoFar now = run_.so_far();
  const std::uint64_t bytes = bytes_read();
  const double lasted = std::max(seconds_ - column_began_, 1e-3);
  const auto add = [this](std::deque<std::uint64_t>& values, std::uint64_t value) {
    values.push_back(value);
    if (values.size() > columns_) values.pop_front();
  };
  add(depths_, std::exchange(depth_, 0));
  add(rates_, static_cast<std::uint64_t>(
                  static_cast<double>(bytes - std::exchange(bytes_before_, bytes)) / lasted));
  add(activations_, now.activations - std::exchange(activations_before_, now.activations));
  column_began_ = seconds_;
  samples_ = 0;
  return true;
}

// Of an engine that asks for no block (a mapped file, whose pages come by faults) what the kernel
// read for the process.
std::uint64_t RunPicture::bytes_read() const {
  const std::uint64_t arrived = run_.so_far().arrived * of_.block_bytes;
  return std::max(bytes_before_, arrived > 0 ? arrived : kernel_bytes_);
}

std::string RunPicture::map() {
  const std::vector<BlockState> squares = run_.take_squares();
  std::string text;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const bool new_row = i % columns_ == 0;
    if (new_row) text += '\n';
    const Look& look = look_of(squares[i]);
    if (coloured_ && (new_row || squares[i] != squares[i - 1])) {
      text += fmt::format("\033[{}m", look.colour);
    }
    text += look.mark;
    const bool last_of_row = (i + 1) % columns_ == 0 || i + 1 == squares.size();
    if (coloured_ && last_of_row) text += "\033[0m";
  }
  return text;
}

std::string RunPicture::sums() const {
  const RunSoFar now = run_.so_far();
  const std::string order =
      now.rounds > 0
          ? fmt::format("round {}, frontier {}", with_commas(now.rounds), with_commas(now.frontier))
          : fmt::format("no rounds, {} activations", with_commas(now.activations));
  std::string text = fmt::format("{}; {} read", order, human_size(bytes_read()));
  if (now.again > 0) text += fmt::format(", {} again", human_size(now.again * of_.block_bytes));
  return text + fmt::format("; {} edges", with_commas(now.edges));
}

std::string RunPicture::lines() {
  const RunSoFar now = run_.so_far();
  const auto line = [this](const std::string& text) { return "\n" + cut(text, columns_); };
  const auto last = [](const std::deque<std::uint64_t>& values) {
    return values.empty() ? 0 : values.back();
  };
  std::string text = cut(fmt::format("{}: {:.1f} s", of_.title, seconds_), columns_) + line(sums());
  std::string blocks =
      fmt::format("{} blocks of {}", with_commas(run_.blocks()), human_size(of_.block_bytes));
  if (run_.blocks_a_square() > 1) {
    blocks += fmt::format(", {} in a character", with_commas(run_.blocks_a_square()));
  }
  if (now.sampled > 0) blocks += fmt::format("; one in {} is told of", 1ULL << now.sampled);
  text += line(blocks) + map();
  std::string legend;
  for (const Look& look : kLooks) {
    legend += fmt::format("{}{} {}", legend.empty() ? "" : "  ", look.mark, look.name);
  }
  text += line(legend);
  text += line(fmt::format("requests in flight: {}", last(depths_)));
  text += bars(newest(depths_, columns_));
  text += line(fmt::format("read in a second: {}", human_size(last(rates_))));
  text += bars(newest(rates_, columns_));
  if (now.rounds > 0) {
    text += line("frontier of each round") + bars(newest(run_.frontiers(), columns_));
  } else {
    text += line("activations in a tenth of a second") + bars(newest(activations_, columns_));
  }
  return text;
}

bool RunScreen::fits() {
  const std::optional<TerminalSize> size = screen_size();
  return size && size->rows >= RunPicture::kRows && size->columns >= RunPicture::kLeastColumns;
}

RunScreen::RunScreen(const RunOnScreen& of)
    : picture_(of, screen_size()->columns, shows_colour()), screen_(std::in_place) {}

void RunScreen::sample(const nlohmann::json& sample) {
  if (picture_.sample(sample)) screen_->draw(picture_.lines());
}

void RunScreen::print_last() { std::fputs((picture_.lines() + "\n").c_str(), stderr); }

}  // namespace outcore
