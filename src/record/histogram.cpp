// SPDX-License-Identifier: Apache-2.0
#include "record/histogram.h"

#include <cstring>

namespace telltale::record {

namespace {

// Edges have at most one of their kind in a cell: a cell is the 32nd part of a power of two,
// about 1.03 wide at most.
constexpr int kCellBits = 5;
constexpr int kShift = 52 - kCellBits;

constexpr uint64_t CellOf(double value) { return __builtin_bit_cast(uint64_t, value) >> kShift; }

struct Edges {
  double positive[kPositiveEdges + 1];  // the last one: beyond all
  uint64_t first_cell;                  // stands for all before it, too: no edge lies in it
  uint64_t cells;
  uint16_t below[4096];  // edges below the cell
};

// As the writers make them, with the same roundings.
constexpr Edges MakeEdges() {
  Edges edges{};
  size_t count = 0;
  for (double edge = 1e-12; edge < 1e20; edge *= 1.1) edges.positive[count++] = edge;
  edges.positive[kPositiveEdges] = 1e300;
  edges.first_cell = CellOf(edges.positive[0]) - 1;
  edges.cells = CellOf(edges.positive[kPositiveEdges - 1]) - edges.first_cell + 1;
  size_t below = 0;
  for (uint64_t cell = 0; cell < edges.cells; ++cell) {
    while (below < kPositiveEdges && CellOf(edges.positive[below]) < edges.first_cell + cell)
      ++below;
    edges.below[cell] = static_cast<uint16_t>(below);
  }
  return edges;
}

constexpr Edges kEdges = MakeEdges();
static_assert(kEdges.positive[kPositiveEdges - 1] < 1e20 &&
              kEdges.positive[kPositiveEdges - 1] * 1.1 >= 1e20);
static_assert(kEdges.cells <= 4096);

constexpr double kLargest = kEdges.positive[kPositiveEdges - 1];

// Bin i is [edge i, edge i + 1); kBins is the last edge itself. `size` is the value without its
// sign, at most kLargest. Without branches: half of all weights are negative, and no processor
// guesses which.
inline size_t BinOf(double size, bool is_negative) {
  uint64_t cell = CellOf(size);
  cell = cell < kEdges.first_cell ? kEdges.first_cell : cell;
  const size_t below = kEdges.below[cell - kEdges.first_cell];
  const double next = kEdges.positive[below];
  const size_t edges =
      below + (static_cast<size_t>(next < size) |
               (static_cast<size_t>(next == size) & static_cast<size_t>(!is_negative)));
  // kPositiveEdges + edges, or kPositiveEdges - 1 - edges.
  return kPositiveEdges + (edges ^ (size_t{0} - static_cast<size_t>(is_negative)));
}

double EdgeOf(size_t number) {
  if (number == kPositiveEdges) return 0;
  return number < kPositiveEdges ? -kEdges.positive[kPositiveEdges - 1 - number]
                                 : kEdges.positive[number - kPositiveEdges - 1];
}

// NumPy's order of additions, so that the sum is the same to the last bit: eight sums over up to
// 128 values, halves beyond.
template <typename Number>
double PairwiseSum(const Number* values, size_t count) {
  if (count < 8) {
    double sum = -0.0;
    for (size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    return sum;
  }
  if (count <= 128) {
    double sums[8];
    for (size_t k = 0; k < 8; ++k) sums[k] = static_cast<double>(values[k]);
    size_t i = 8;
    for (; i < count - count % 8; i += 8) {
      for (size_t k = 0; k < 8; ++k) sums[k] += static_cast<double>(values[i + k]);
    }
    double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) sum += static_cast<double>(values[i]);
    return sum;
  }
  size_t half = count / 2;
  half -= half % 8;
  return PairwiseSum(values, half) + PairwiseSum(values + half, count - half);
}

template <typename Number>
double SumSquares(const Number* values, size_t count) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t k = 0; k < 8; ++k) {
      const auto value = static_cast<double>(values[i + k]);
      sums[k] += value * value;
    }
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <typename Number>
void FindRange(const Number* values, size_t count, double& min, double& max) {
  Number least[4] = {values[0], values[0], values[0], values[0]};
  Number most[4] = {values[0], values[0], values[0], values[0]};
  bool has_nan = false;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t k = 0; k < 4; ++k) {
      const Number value = values[i + k];
      least[k] = value < least[k] ? value : least[k];
      most[k] = value > most[k] ? value : most[k];
      has_nan |= __builtin_isnan(value) != 0;
    }
  }
  for (; i < count; ++i) {
    least[0] = values[i] < least[0] ? values[i] : least[0];
    most[0] = values[i] > most[0] ? values[i] : most[0];
    has_nan |= __builtin_isnan(values[i]) != 0;
  }
  for (size_t k = 1; k < 4; ++k) {
    least[0] = least[k] < least[0] ? least[k] : least[0];
    most[0] = most[k] > most[0] ? most[k] : most[0];
  }
  min = has_nan ? __builtin_nan("") : static_cast<double>(least[0]);
  max = has_nan ? __builtin_nan("") : static_cast<double>(most[0]);
}

template <typename Number>
bool Make(const Number* values, size_t count, Histogram& histogram) {
  if (count == 0) return false;
  // In turns: equal values would wait for each other.
  uint32_t counts[4][kBins + 1] = {};
  uint64_t sums[kBins + 1] = {};
  constexpr size_t kBlock = size_t{1} << 30;  // a count of 32 bits holds it
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t block_end = count - begin < kBlock ? count : begin + kBlock;
    for (size_t i = begin; i < block_end; ++i) {
      const auto value = static_cast<double>(values[i]);
      const double size = __builtin_fabs(value);
      if (!(size <= kLargest)) continue;  // too large, or no number
      ++counts[i & 3][BinOf(size, value < 0)];
    }
    for (size_t bin = 0; bin <= kBins; ++bin) {
      for (auto& one : counts) {
        sums[bin] += one[bin];
        one[bin] = 0;
      }
    }
  }
  sums[kBins - 1] += sums[kBins];
  size_t first = 0;
  while (first < kBins && sums[first] == 0) ++first;
  if (first == kBins) return false;
  size_t end = kBins;
  while (sums[end - 1] == 0) --end;
  // Readers take the left edge of the first bin from an empty one before it.
  histogram.size = end - first + 1;
  histogram.limits[0] = EdgeOf(first);
  histogram.buckets[0] = 0;
  for (size_t bin = first; bin < end; ++bin) {
    histogram.limits[bin - first + 1] = EdgeOf(bin + 1);
    histogram.buckets[bin - first + 1] = static_cast<double>(sums[bin]);
  }
  FindRange(values, count, histogram.min, histogram.max);
  histogram.count = static_cast<double>(count);
  histogram.sum = 0.0 + PairwiseSum(values, count);
  histogram.sum_squares = SumSquares(values, count);
  return true;
}

}  // namespace

bool MakeHistogram(const float* values, size_t count, Histogram& histogram) {
  return Make(values, count, histogram);
}

bool MakeHistogram(const double* values, size_t count, Histogram& histogram) {
  return Make(values, count, histogram);
}

}  // namespace telltale::record
