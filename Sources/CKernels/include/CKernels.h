// Row kernels on 16-bit fixed point and on floats: the vector operations that Swift lowers badly, and
// those that gain from a processor's wider vectors.
//
// A fixed-point sample s stands for (s + 16320) / 32640: -16320 is 0, 16320 is 1, and one unit is
// 1/128 of an 8-bit level. A sum of two samples fits 16 bits, weights that sum to 1 leave the offset
// as it is, and every kernel forms its sum exactly in 32 bits and rounds once. That is why all
// instruction sets give the same bits, and why a constant row stays that constant. Floats are
// fractions of full scale, or any value; each is computed by the same operations in the same order.
//
// Rows of fixed point and of floats have FG_SLACK samples of room before and after: kernels read and write whole
// vectors there. Rows of 8 and 16 bits belong to the caller and are touched only where they are.
// A "pixel" has four samples; gray rows have kernels of their own where columns meet. Source and
// target do not overlap unless said.
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// The sample that stands for 1; its negative stands for 0.
#define FG_FULL 16320
/// Samples of room around a fixed-point row or one of floats.
#define FG_SLACK 512
/// Words that samples of a window are counted in.
#define FG_COUNTS 35072
/// The largest side of a window whose samples are counted as levels, and the bytes that takes for so many pixels
/// of a row.
#define FG_MOST_LEVEL_SIDE 31
#define FG_LEVEL_PIXELS 480
#define FG_LEVEL_COUNTS 138752

/// A 16-bit sample of a caller's row, which may begin at any byte.
typedef uint16_t fgk_word __attribute__((aligned(1)));

// No pointer is null, including those that arrays hold.
#pragma clang assume_nonnull begin
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
#pragma clang diagnostic ignored "-Wnullability-completeness-on-arrays"
#pragma clang diagnostic ignored "-Wnullability-inferred-on-nested-type"

// Constant tables of functions may go from thread to thread.
#if __has_attribute(swift_attr)
#define FG_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define FG_SENDABLE
#endif

/// One of the filters that take turns along a row.
struct fgk_phase {
  /// The first pixel, counted from the period's.
  ptrdiff_t first;
  /// How many taps; 1 or more.
  size_t count;
  const float *taps;
};

/// Coefficients of a polynomial for powers of two.
#define FG_POWERS 5

/// A bilateral filter: weights by distance along rows, from left to right, `2 radius_x + 1` and a zero, and along
/// columns; every so many columns and rows; and what a difference d counts.
struct fgk_bilateral {
  const float *x;
  size_t radius_x;
  const float *y;
  size_t radius_y;
  size_t spacing;
  /// Linear is `max(0, 1 − range d)`, else `2^(max(least, range d²) / 2²³)`, both below 0.
  int is_linear;
  float range, least;
  /// `2^(m − 1)` for m from 1 to 2: what m⁰, m¹, … count, `FG_POWERS` of them.
  const float *powers;
  /// From one channel's row to the next.
  size_t plane;
};

/// A circle with a soft edge along a row of pixels: the first one's center, where its own center is, the square of
/// how far the row is from that, its radius, how far it is grown, and over how many pixels it fades, 1 or more;
/// below 1 it is anti-aliased.
struct fgk_circle {
  double column, center, square, radius, grow, feather;
};

/// A matrix on pixels of fixed point.
struct fgk_color_matrix {
  /// For each of four results what it takes of red and green, then for each what it takes of blue and of the
  /// fourth sample; in 1/2^shift.
  int16_t weights[16];
  /// What is added to each result in the same fractions of a unit: half a unit, and what makes up for the
  /// offset of fixed point.
  int32_t offsets[4];
  int32_t shift;
  /// Whether colors are limited to the fourth sample.
  int32_t clamps;
  /// What everything is multiplied by in the end, negative and in 1/32768.
  int16_t fade;
};

/// A picture through a map: pixel n of row j is read at column
/// `n + (column_start + n column_step + j column_next) / 2²⁴` and at row
/// `(row_start + n row_step + j row_next) / 2²⁴`, both rounded down to 1/4096, and counts `weight`.
struct fgk_view {
  int64_t column_start, column_step, column_next;
  int64_t row_start, row_step, row_next;
  float weight;
};

/// A row at another scale, sixteen samples at a time: sample j of vector n is the sum over k of
/// taps[16 (n count + k) + j] × source[starts[n] + places[16 n + j] + k channels], the first tap first.
/// After `vectors` of them the source goes on by `step` samples.
struct fgk_places {
  const int32_t *starts;
  /// 0 to `farthest`.
  const int32_t *places;
  const float *taps;
  size_t count, channels, vectors;
  ptrdiff_t step;
  int32_t farthest;
};

/// Coefficients of a polynomial for a power of floats.
#define FG_CURVE_TERMS 7

/// A power of floats: for a fraction m from 1 to 2 the sum of terms[k] × (m − 1.5)ᵏ, times what the lowest four
/// bits of the exponent, as a float has it, find in `scales`.
struct fgk_curve {
  const float *terms;
  const float *scales;
};

/// The light of 256 levels; the first bytes of all of them, the second, and so on; and the power that light is of
/// values that are none of the levels.
struct fgk_light {
  const float *levels;
  const uint8_t *bytes;
  struct fgk_curve curve;
};

struct FG_SENDABLE fgk_row_kernels {
  /// The instruction set's name.
  const char *name;

  /// 8-bit samples to fixed point.
  void (*load8)(const uint8_t *source, int16_t *target, size_t count);
  /// 16-bit samples to fixed point, to the nearest unit.
  void (*load16)(const fgk_word *source, int16_t *target, size_t count);
  /// Samples in so many low bits of words, 8 to 15, likewise; words above are limited.
  void (*load_low16)(const fgk_word *source, int16_t *target, size_t count, uint32_t bits);
  /// Red, green and blue to pixels whose fourth sample is full.
  void (*load8_rgb)(const uint8_t *source, int16_t *target, size_t pixels);
  void (*load16_rgb)(const fgk_word *source, int16_t *target, size_t pixels);
  /// Pixels whose colors are multiplied by their fourth sample, to the nearest unit.
  void (*load8_straight)(const uint8_t *source, int16_t *target, size_t pixels);
  void (*load16_straight)(const fgk_word *source, int16_t *target, size_t pixels);
  /// Gray samples to pixels whose fourth sample is full.
  void (*spread_gray)(const int16_t *source, int16_t *target, size_t count);

  /// a + 3 b + 3 c + d of four rows of 8 bits; `sums` is a fixed-point row's memory.
  void (*halve_rows8)(const uint8_t *const rows[4], uint16_t *sums, size_t count);
  /// The same along such a row of sums, to fixed point, exactly: target pixel i from source pixels
  /// 2i … 2i+3.
  void (*halve_sums)(const uint16_t *sums, int16_t *target, size_t pixels);
  void (*halve_sums_rgb)(const uint16_t *sums, int16_t *target, size_t pixels);
  void (*halve_sums_gray)(const uint16_t *sums, int16_t *target, size_t count);
  /// (a + 3 b + 3 c + d) / 8 of four fixed-point rows, then along a row.
  void (*halve_rows)(const int16_t *const rows[4], int16_t *target, size_t count);
  void (*halve_columns)(const int16_t *source, int16_t *target, size_t pixels);
  void (*halve_columns_gray)(const int16_t *source, int16_t *target, size_t count);

  /// The sum over k of taps[k] / 65536 × (pairs[2 k] + pairs[2 k + 1]), to the nearest unit.
  ///
  /// `count` is even and the taps sum to 32768. Pairs are rows, or one row shifted.
  void (*convolve)(
    const int16_t *const *pairs, const int16_t *taps, size_t count, int16_t *target,
    size_t samples);
  /// The same for a row and the next, from the rows pairs[2 k], k before the one, and pairs[2 k + 1], k
  /// after the other: each is read once for both.
  void (*convolve_two)(
    const int16_t *const *pairs, const int16_t *taps, size_t count, int16_t *row, int16_t *next,
    size_t samples);
  /// scale × the sum over k of weights[k] × (pairs[2 k] + pairs[2 k + 1]), to the nearest unit.
  ///
  /// `count` is even. Pairs are rows, or one row shifted.
  void (*stencil)(
    const int16_t *const *pairs, const int16_t *weights, size_t count, float scale, int16_t *target,
    size_t samples);
  /// The same where the sum is only by how much each pixel's is more than the one's before, and the
  /// first is known; after `sums` pairs come `differences`, whose second sample is taken away. Both are
  /// even.
  void (*stencil_runs)(
    const int16_t *const *pairs, const int16_t *weights, size_t sums, size_t differences,
    const int32_t first[4], float scale, int16_t *target, size_t pixels);
  void (*stencil_runs_gray)(
    const int16_t *const *pairs, const int16_t *weights, size_t sums, size_t differences,
    int32_t first, float scale, int16_t *target, size_t count);

  /// Dual Kawase's halving, 1 for each of 4×4 pixels and 5 for the inner four, in 1/32, of four rows of 8 bits,
  /// exactly, or of fixed point, to the nearest unit: target pixel i from source pixels 2i … 2i+3.
  void (*halve_dual8)(const uint8_t *const rows[4], int16_t *target, size_t pixels);
  void (*halve_dual)(const int16_t *const rows[4], int16_t *target, size_t pixels);
  /// Its growing, `KawaseDesign.growing`, of five rows to two: target pixels 2i and 2i+1 from source pixels
  /// i … i+4, to the nearest unit. Whole periods are written.
  void (*grow_dual)(
    const int16_t *const rows[5], int16_t *const targets[2], size_t periods);
  /// The same from pixel `first` on, 0 or 1, then rounded to 8 bits.
  void (*grow_dual_store8)(
    const int16_t *const rows[5], size_t first, uint8_t *const targets[2], size_t pixels);

  /// Pixels at even places and those at odd ones, each in a row of their own; nothing else is written.
  void (*part_pixels)(const int16_t *source, int16_t *even, int16_t *odd, size_t pixels);
  /// Pixels of two rows in turn.
  void (*join_pixels)(
    const int16_t *even, const int16_t *odd, int16_t *target, size_t pairs);

  /// Boxes over rows, one, two or three in a row, for `count` rows that follow each other: what was
  /// summed up times `scale`, to the nearest unit.
  ///
  /// For each target row, `rows` has those that enter: at the end of the window, and one or two
  /// widths before; then the one that leaves after it, at its beginning. `state` has `order` numbers
  /// per sample, those of whole vectors; it begins with zeros, and rows of zeros stand for what is before
  /// the first window.
  void (*sum_rows)(
    int32_t *state, size_t order, const int16_t *const *rows, size_t count, float scale,
    int16_t *const *targets, size_t samples);
  /// The same along four rows of pixels, some of which may be one: target pixel i from the
  /// order × (width − 1) + 1 pixels from i on.
  void (*sum_columns)(
    const int16_t *const sources[4], size_t width, size_t order, float scale,
    int16_t *const targets[4], size_t pixels);
  /// Along a row of gray samples.
  void (*sum_columns_gray)(
    const int16_t *source, size_t width, size_t order, float scale, int16_t *target, size_t count);

  /// Puts the samples of each column in order, the least into the first row; `count` is 3, 5, 7 or 9.
  void (*sort_rows)(
    const int16_t *const *rows, size_t count, int16_t *const *sorted, size_t samples);
  /// The sample above `rank` others of each window of `side` columns in order: target[i] of those at
  /// i, i + channels … of all rows; `side` is as above.
  void (*rank_columns)(
    const int16_t *const *sorted, size_t side, size_t rank, size_t channels, int16_t *target,
    size_t samples);
  /// The same of a window of any side up to 255 and of rows in no order, for one channel of them.
  ///
  /// `counts` are FG_COUNTS zeros, before and after.
  void (*rank_counting)(
    const int16_t *const *rows, size_t side, size_t rank, size_t channels, size_t channel,
    uint16_t *counts, int16_t *target, size_t pixels);

  /// Every `step`-th of some samples, 1 or 4, that are whole 8-bit levels, as these levels.
  void (*take_levels)(const int16_t *source, size_t step, uint8_t *target, size_t count);
  /// `sort_rows` and `rank_columns` of 8-bit levels.
  void (*sort_levels)(
    const uint8_t *const *rows, size_t count, uint8_t *const *sorted, size_t samples);
  void (*rank_levels)(
    const uint8_t *const *sorted, size_t side, size_t rank, size_t channels, uint8_t *target,
    size_t samples);
  /// The same of windows of any side up to FG_MOST_LEVEL_SIDE, for so many lines that follow each other:
  /// of the side + lines - 1 `rows` the first `side` are the first line's window. Results are fixed point
  /// at every `step`-th sample of the targets.
  ///
  /// `counts` are FG_LEVEL_COUNTS bytes for each FG_LEVEL_PIXELS pixels or what is left of them, `apart` from one
  /// to the next; 0 where none are kept. With `goes_on` they are still those of the line before the first,
  /// whose window begins at rows[-1].
  void (*rank_levels_counting)(
    const uint8_t *const *rows, size_t lines, size_t side, size_t rank, size_t step,
    int goes_on, uint8_t *counts, size_t apart, int16_t *const *targets, size_t pixels);

  /// The sum of weights[j] / 16384 × rows[j]; the weights sum to 16384.
  void (*mix_rows)(
    const int16_t *const rows[3], const int16_t weights[3], int16_t *target, size_t count);
  /// Grows a row by `factor`, a power of two from 2: target pixel (i factor + p) is the sum of
  /// w[p][j] / 16384 × source pixel (i + j), j = 0, 1, 2. Whole periods are written.
  ///
  /// `weights` holds w[p][0], w[p][1] four times over for each p, then w[p][2], 8192 likewise.
  void (*grow_columns)(
    const int16_t *source, const int16_t *weights, size_t factor, int16_t *target, size_t periods);
  /// The same for gray; `weights` holds w[p][0], w[p][1] for each p, then w[p][2], 8192.
  void (*grow_columns_gray)(
    const int16_t *source, const int16_t *weights, size_t factor, int16_t *target, size_t periods);

  /// Grows a row by 2 to the power of `shift`, from its pixel `first` on, straight to 8 bits; before
  /// that last rounding it is up to a unit away.
  ///
  /// `weights` holds w[p][0] / 65536 four times over for each p, then w[p][1] and w[p][2] likewise;
  /// where there are only two p, each of the three parts twice.
  void (*grow_store8)(
    const int16_t *source, const uint16_t *weights, size_t shift, size_t first, uint8_t *target,
    size_t pixels);
  /// The same, of each pixel the first three samples.
  void (*grow_store8_rgb)(
    const int16_t *source, const uint16_t *weights, size_t shift, size_t first, uint8_t *target,
    size_t pixels);

  /// The same of gray. `weights` holds w[p][0] / 65536 for each p, again and again where they are less than 32,
  /// then w[p][1] and w[p][2] likewise.
  void (*grow_store8_gray)(
    const int16_t *source, const uint16_t *weights, size_t shift, size_t first, uint8_t *target,
    size_t pixels);

  /// A matrix on each pixel, and colors limited to 0…fourth sample or to 0…1.
  void (*color_matrix)(
    const int16_t *source, const struct fgk_color_matrix *matrix, int16_t *target, size_t pixels);
  /// The same on gray, with the first weight and the first offset.
  void (*color_matrix_gray)(
    const int16_t *source, const struct fgk_color_matrix *matrix, int16_t *target, size_t count);
  /// The first sample of each pixel.
  void (*take_red)(const int16_t *source, int16_t *target, size_t pixels);
  /// Pixels of a gray sample, the first two samples of `rest`, and a full one.
  void (*pack_channels)(const int16_t *gray, const int16_t *rest, int16_t *target, size_t pixels);
  /// The same with a gray `rest`, whose sample is used twice.
  void (*pack_channels_gray)(const int16_t *gray, const int16_t *rest, int16_t *target, size_t pixels);
  /// A 3×3 matrix on each pixel plus a curve of its brightness: rows of red, green and
  /// blue, then the brightness's weights; the curve's coefficients, the constant first. Colors are
  /// limited to 0…fourth sample.
  void (*luma_curve)(
    const int16_t *source, const float numbers[12], const float curve[4], int16_t *target,
    size_t pixels);
  /// The same on gray: value × scale + curve(value × weight).
  void (*luma_curve_gray)(
    const int16_t *source, float scale, float weight, const float curve[4], int16_t *target,
    size_t count);
  /// The numbers of a grain at points x, x + 1 … of row y: in floats, for `colors` colors, 1 or 3, each
  /// in a row of its own. `Grain.swift` says what they are.
  void (*grain_numbers)(
    int bell, uint32_t seed, int32_t x, int32_t y, float *const *targets, size_t colors,
    size_t points);
  /// Adds noise to pixels, in place: amplitude × the number of each color; `bell` says how it is
  /// limited. Where the rows of all colors are one, even noise in units of 1/32640 is whole.
  void (*grain)(
    int16_t *row, const float *const *noise, float amplitude, int bell, size_t pixels);
  /// The same on gray.
  void (*grain_gray)(int16_t *row, const float *noise, float amplitude, int bell, size_t count);
  /// The same on floats, of 1, 3 or 4 channels.
  void (*float_grain)(
    float *row, const float *const *noise, float amplitude, int bell, size_t channels,
    size_t pixels);
  /// Fixed point as fractions, the `channels` of pixels each in a row, `plane` samples from one to the next.
  void (*planar)(
    const int16_t *source, float *target, size_t plane, size_t channels, size_t pixels);
  /// The same of floats.
  void (*float_planar)(
    const float *source, float *target, size_t plane, size_t channels, size_t pixels);
  /// Such rows to pixels of fixed point: limited and rounded to nearest. A vector more may be read.
  void (*from_planar)(
    const float *source, int16_t *target, size_t plane, size_t channels, size_t pixels);
  /// Such rows to pixels of floats.
  void (*float_from_planar)(
    const float *source, float *target, size_t plane, size_t channels, size_t pixels);
  /// Means of windows that such rows hold, to such rows: `rows` has all lines of the window, and begins with
  /// its leftmost column. Up to 31 samples more are read and written, and two spacings more than that read.
  void (*bilateral)(
    const struct fgk_bilateral *filter, const float *const *rows, size_t channels, float *means,
    size_t pixels);
  /// Adds what views show of up to 128 pixels of up to 8 rows to sums of theirs, one view after the other,
  /// interpolated between two columns and two rows, all of which must be there.
  ///
  /// `column` is the first of each of `rows`, and `row` the first of them, both counted from the first
  /// pixel. From a row of sums to the next there are `length`. Eight pixels may be loaded from the first
  /// that is used, and one row more be looked for than is used. The next call may be for pixels `ahead`
  /// of these, which are fetched to the cache; 0 for none.
  void (*gather)(
    const int16_t *const *rows, int64_t column, int64_t row, const struct fgk_view *views,
    size_t count, float *sums, size_t length, size_t pixels, size_t lines, size_t ahead);
  /// The same of gray samples.
  void (*gather_gray)(
    const int16_t *const *rows, int64_t column, int64_t row, const struct fgk_view *views,
    size_t count, float *sums, size_t length, size_t pixels, size_t lines, size_t ahead);
  /// The same of up to eight views that count the same, in whole numbers: the sum of what each shows, in
  /// 1/16384 of a unit.
  void (*gather_even)(
    const int16_t *const *rows, int64_t column, int64_t row, const struct fgk_view *views,
    size_t count, int32_t *sums, size_t length, size_t pixels, size_t lines, size_t ahead);
  /// Adds such sums, times a number, to those of floats.
  void (*gathered_even)(const int32_t *sums, float scale, float *floats, size_t samples);
  /// Sums to the nearest unit.
  void (*gathered)(const float *sums, int16_t *target, size_t samples);
  /// Adds up runs of a row's pixels, 8-bit levels of 1 or 4 channels: run n ends before pixel ends[n], and
  /// its sums are added to the `channels` numbers of cell cells[n]; to none if that is negative. Runs have
  /// 65535 pixels at most.
  void (*cell_sums8)(
    const uint8_t *row, const uint32_t *ends, const int32_t *cells, size_t runs, size_t channels,
    int64_t *sums);
  /// The same of fixed point.
  void (*cell_sums)(
    const int16_t *row, const uint32_t *ends, const int32_t *cells, size_t runs, size_t channels,
    int64_t *sums);
  /// Gives each pixel of such runs the one of its cell, of so many bytes; none where there is no cell.
  void (*fill_cells)(
    const uint8_t *pixels, size_t bytes, const uint32_t *ends, const int32_t *cells, size_t runs,
    uint8_t *target);
  /// How much of pixels a circle covers.
  void (*cover_circle)(const struct fgk_circle *circle, float *target, size_t count);
  /// (V(most value) − least) slope of each value, in place: V is a standard deviation's square, below 1 the
  /// variance of the Gaussian sampled at whole numbers. No value is less than what V makes `least` of.
  void (*mask_shares)(float *values, size_t count, double most, double least, double slope);
  /// How many values from the first on are above `low` and below `high`.
  size_t (*count_between)(const float *values, size_t count, float low, float high);
  /// Shares 0…1 to weights: negative, in 1/32768.
  void (*mix_weights)(const float *shares, int16_t *weights, size_t count);
  /// A mask's samples to such weights.
  void (*mask_weights)(const int16_t *mask, int16_t *weights, size_t count);
  /// first × (1 - w) + second × w with a weight for each pixel, which has 1 or 4 samples.
  void (*mix)(
    const int16_t *first, const int16_t *second, const int16_t *weights, int16_t *target,
    size_t pixels, size_t channels);
  /// The same with one weight for all samples.
  void (*mix_evenly)(
    const int16_t *first, const int16_t *second, int16_t weight, int16_t *target, size_t samples);
  /// Premultiplied pixels over others: top + bottom × (1 − fourth sample of top), limited to 0…1.
  void (*blend_over)(const int16_t *top, const int16_t *bottom, int16_t *target, size_t pixels);
  /// Pixels times such weights, one for each.
  void (*blend_multiply)(
    const int16_t *source, const int16_t *weights, int16_t *target, size_t pixels);
  /// The color of the first at the fourth sample of the second; the second where the first has none. The
  /// target may be one of them.
  void (*blend_normalize)(
    const int16_t *first, const int16_t *second, int16_t *target, size_t pixels);
  /// The same where the first has a share of the second's fourth sample at least; where it has less, the
  /// second takes the place of what is missing.
  void (*blend_normalize_above)(
    int16_t *first, const int16_t *second, float share, size_t pixels);
  /// How many pixels from the first on have a full fourth sample.
  size_t (*full_pixels)(const int16_t *row, size_t pixels);
  /// Whether the fourth of every four bytes is 255.
  int (*is_opaque8)(const uint8_t *row, size_t pixels);
  /// Multiplies each pixel by (1 + highlights × Y⁴) / (1 + highlights), with Y its brightness.
  void (*highlight_weight)(
    const int16_t *source, const float luma[3], float highlights, int16_t *target, size_t pixels);
  /// Adds `background` (red, green, blue as fractions) where pixels are transparent, in place; the
  /// fourth sample becomes full.
  void (*compose)(int16_t *row, const float background[3], size_t pixels);

  /// Fixed point to 8 and 16 bits, limited and rounded to nearest.
  void (*store8)(const int16_t *source, uint8_t *target, size_t count);
  void (*store16)(const int16_t *source, uint16_t *target, size_t count);
  /// Likewise to so many low bits of words, 8 to 15.
  void (*store_low16)(const int16_t *source, uint16_t *target, size_t count, uint32_t bits);
  /// The first three samples of each pixel.
  void (*store8_rgb)(const int16_t *source, uint8_t *target, size_t pixels);
  void (*store16_rgb)(const int16_t *source, uint16_t *target, size_t pixels);
  /// Colors divided by the fourth sample; zeros where that is 0.
  void (*store8_straight)(const int16_t *source, uint8_t *target, size_t pixels);
  void (*store16_straight)(const int16_t *source, uint16_t *target, size_t pixels);

  /// 8- and 16-bit samples to floats 0…1; words are limited to `full`, which is 1.
  void (*float_load8)(const uint8_t *source, float *target, size_t count);
  void (*float_load16)(const fgk_word *source, float *target, size_t count, float full);
  /// The sum of weights[j] × rows[j], the first row first; `count` is 1 or more.
  void (*float_mix_rows)(
    const float *const *rows, const float *weights, size_t count, float *target,
    size_t samples);
  /// A row of another scale: each of `count` phases in turn makes a pixel, `phase` the first one;
  /// after the last phase, the source's period begins `stride` pixels later.
  ///
  /// Pixels have `channels` samples, 4 at most.
  void (*float_mix_columns)(
    const float *source, size_t stride, const struct fgk_phase *phases, size_t count, size_t phase,
    size_t channels, float *target, size_t pixels);
  /// The same where all phases have as many taps; whole sixteens of samples are written. Where `prefers_places`,
  /// a tap that is no number is none.
  void (*float_mix_places)(
    const float *source, const struct fgk_places *places, float *target, size_t samples);
  /// Whether that is faster for few taps, too.
  int prefers_places;
  /// A matrix of three rows, of red, green, blue and a constant, on pixels of `from` samples, which become
  /// `to`: 1 is gray, 4 has alpha. Where `clamps`, colors are limited to 0…alpha.
  void (*float_color_matrix)(
    const float *source, size_t from, const float m[12], int clamps, float opacity, float *target,
    size_t to, size_t pixels);
  /// The first where the mask is 0, the second where it is 1, and what mixes them elsewhere.
  void (*float_blend_masked)(
    const float *first, const float *second, const float *mask, float *target, size_t pixels,
    size_t channels);
  /// Pixels times gray samples; 0 where these are.
  void (*float_multiply)(
    const float *source, const float *gray, float *target, size_t pixels, size_t channels);
  /// taps[0] × pairs[0] and the sum over k > 0 of taps[k] × (pairs[2 k] + pairs[2 k + 1]), the
  /// outermost pair first.
  ///
  /// Pairs are rows, or one row shifted; the first is the center twice.
  void (*float_convolve)(
    const float *const *pairs, const float *taps, size_t count, float *target,
    size_t samples);
  /// Floats to 8 and 16 bits, limited and rounded to nearest; not-a-number becomes 0. In words, 1 is
  /// `full`.
  void (*float_store8)(const float *source, uint8_t *target, size_t count);
  void (*float_store16)(const float *source, uint16_t *target, size_t count, float full);
  /// Light to 8-bit levels, exactly. least[l] is where level l begins, l = 1 … 255, least[256] is infinite;
  /// `starts` has the level of the first float of each part that the upper 16 bits of a float tell apart,
  /// from the part of least[1] on; and the curve that these follow.
  void (*float_encode8)(
    const float *source, const struct fgk_curve *curve, const float *least, const uint8_t *starts,
    uint8_t *target, size_t count);
  /// Light to encoded values, odd around 0.
  ///
  /// Whole vectors are written. Where any sample is not from -1 to 1 the result is not 0, and such samples'
  /// mean nothing.
  int (*float_encode)(
    const float *source, const struct fgk_curve *curve, float *target, size_t count);
  /// Pixels' colors divided by their alpha, 0 where that is; then encoded, and then multiplied by it, if wanted.
  ///
  /// The same holds of pixels with a color that is encoded and is not from -1 to 1.
  int (*float_finish)(
    const float *source, const struct fgk_curve *curve, int encodes, int multiplies, float *target,
    size_t pixels);
  /// 8-bit levels to light.
  void (*float_decode8)(
    const uint8_t *source, const struct fgk_light *light, float *target, size_t count);
  /// The same of pixels, times their alpha, by which levels are divided first if wanted. Whole vectors are
  /// written.
  void (*float_decode8_alpha)(
    const uint8_t *source, const struct fgk_light *light, int divides, float *target, size_t pixels);
};

/// Lets a core's other thread go on while this one waits.
static inline void fgk_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// A thread that waits for work, as others find it; zeros to begin with.
///
/// Linux often wakes a thread on the processor of whoever wakes it: it looks for an idle one only where many are, and
/// of two processors one that works is enough for it not to look. There both take turns, beside an idle one.
/// `fgk_sleep_begins` and `fgk_sleep_ends` are called by the thread itself.
struct fgk_sleeper {
  /// Its number to the system; 0 while it is awake.
  int32_t thread;
  /// Whether it is kept from a processor, and where it may run otherwise.
  int32_t is_kept;
  uint64_t allowed[16];
};

void fgk_sleep_begins(struct fgk_sleeper *sleeper);
/// To be called before it is woken: keeps it from the processor of the calling thread until `fgk_sleep_ends`. Where
/// that is not allowed, or there is no other, it stays as it is.
void fgk_wake_elsewhere(struct fgk_sleeper *sleeper);
void fgk_sleep_ends(struct fgk_sleeper *sleeper);

/// Asks for memory that is going to be written and is in no cache: short parts of many rows are nothing that
/// processors foresee, and each line is waited for otherwise.
static inline void fgk_expect_writes(void *first, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((char *)first + i, 1, 3);
}

/// Makes so many exclusive ors, a multiple of eight, each of which waits for the one before: every processor does one
/// of them in a cycle. (Some add small numbers in no time.)
///
/// What a host gives of a processor's clock is seen by how long they take.
///
/// - Returns: 0.
uint64_t fgk_wait_in_turn(uint64_t count);
/// Makes so many additions of vectors of 128 bits, a multiple of eight, of which eight at a time have nothing to do
/// with each other: a core of now does three or four of them in a cycle, and half of that where another thread of
/// the host has the core's other half, which operations in turn do not notice.
///
/// - Returns: nothing of meaning.
uint64_t fgk_add_vectors(uint64_t count);

/// The kernels that every machine of this kind runs: SSE2 on x86-64, NEON on AArch64.
const struct fgk_row_kernels *fgk_baseline_kernels(void);

/// The best kernels for this processor; the baseline where nothing better is present.
const struct fgk_row_kernels *fgk_best_kernels(void);

/// The best kernels without vectors of 512 bits: AVX2, or the baseline.
const struct fgk_row_kernels *fgk_narrow_kernels(void);

/// The kernels without a processor's own operations, for comparison.
const struct fgk_row_kernels *fgk_portable_kernels(void);

#pragma clang diagnostic pop
#pragma clang assume_nonnull end

#endif
