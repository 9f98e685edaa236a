import FrostglassCore
import Testing

/// Cells of mosaics: whole numbers decide where a pixel belongs.
struct TilingTests {
  static let sizes = [
    Size(width: 40, height: 30), Size(width: 41, height: 33), Size(width: 1, height: 1),
    Size(width: 3, height: 50),
  ]

  static func tilings(_ size: Size) -> [Tiling] {
    [2, 3, 4, 7, 10, 16, 25].flatMap { width in
      [
        Tiling(
          width: width, height: width, isStaggered: false, centerX: size.width,
          centerY: size.height),
        Tiling(
          width: width, height: Int((Double(width) * 0.75.squareRoot()).rounded()),
          isStaggered: true, centerX: size.width, centerY: size.height),
      ]
    }
  }

  /// Going through a cell's pixels, as `CellMeans` does, meets each pixel of the image once.
  @Test(arguments: sizes)
  func everyPixelIsInOneCell(size: Size) {
    for tiling in Self.tilings(size) {
      let picture = Rect(size)
      var visits = [Int](repeating: 0, count: picture.area)
      let cells = tiling.cells(of: picture)
      for row in cells.rows {
        for column in cells.columns {
          let around = tiling.pixels(of: Rect(x: column, y: row, width: 1, height: 1))
          for y in around.rows.clamped(to: picture.rows) {
            for x in around.columns.clamped(to: picture.columns)
            where tiling.cell(ofX: x, y: y) == (column, row) {
              visits[y * size.width + x] += 1
            }
          }
        }
      }
      #expect(visits.allSatisfy { $0 == 1 }, "\(tiling) \(size)")
    }
  }

  /// The needed rectangle of a part holds the cells of all its pixels.
  @Test func partsAreCovered() {
    for tiling in Self.tilings(Size(width: 40, height: 30)) {
      for rect in [
        Rect(x: 0, y: 0, width: 1, height: 1), Rect(x: -20, y: 7, width: 13, height: 2),
        Rect(x: 39, y: 29, width: 1, height: 1),
      ] {
        let cells = tiling.cells(of: rect)
        for y in rect.rows {
          for x in rect.columns {
            let cell = tiling.cell(ofX: x, y: y)
            #expect(cells.contains(Rect(x: cell.column, y: cell.row, width: 1, height: 1)))
          }
        }
      }
    }
  }

  @Test func squaresAreSquare() {
    for width in [2, 3, 8, 9] {
      let tiling = Tiling(width: width, height: width, isStaggered: false, centerX: 50, centerY: 51)
      var counts: [SIMD2<Int>: Rect] = [:]
      for y in 0..<60 {
        for x in 0..<60 {
          let cell = tiling.cell(ofX: x, y: y)
          let pixel = Rect(x: x, y: y, width: 1, height: 1)
          let key = SIMD2(cell.column, cell.row)
          counts[key] = counts[key]?.union(pixel) ?? pixel
        }
      }
      let whole = counts.values.filter {
        $0.x > 0 && $0.y > 0 && $0.columns.upperBound < 60 && $0.rows.upperBound < 60
      }
      #expect(!whole.isEmpty)
      #expect(whole.allSatisfy { $0.width == width && $0.height == width })
    }
  }

  /// Even cells in an even image, and odd cells in an odd one, have the middle cell in the middle, so both borders
  /// cut alike.
  @Test(arguments: [(40, 8), (40, 6), (41, 7), (33, 5)])
  func cellsAreCentered(side: Int, width: Int) {
    let tiling = Tiling(
      width: width, height: width, isStaggered: false, centerX: side, centerY: side)
    for x in 0..<side {
      let left = tiling.cell(ofX: x, y: 3).column
      #expect(tiling.cell(ofX: side - 1 - x, y: 3).column == -left)
    }
    #expect(tiling.cell(ofX: side / 2, y: side / 2) == (0, 0))
    #expect(tiling.cell(ofX: side / 2 - (width - 1) / 2, y: side / 2) == (0, 0))
  }

  /// Whole hexagons have the area of a rectangle of their width and row distance, nearly, and six
  /// neighbors.
  @Test(arguments: [8, 9, 16, 25])
  func hexagonsAreHexagons(width: Int) {
    let height = Int((Double(width) * 0.75.squareRoot()).rounded())
    let tiling = Tiling(
      width: width, height: height, isStaggered: true, centerX: 200, centerY: 200)
    var area = 0
    var neighbors = Set<SIMD2<Int>>()
    for y in 60..<140 {
      for x in 60..<140 where tiling.cell(ofX: x, y: y) == (0, 0) {
        area += 1
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
          let next = tiling.cell(ofX: x + dx, y: y + dy)
          if next != (0, 0) { neighbors.insert(SIMD2(next.column, next.row)) }
        }
      }
    }
    #expect(abs(area - width * height) <= width / 2, "\(area)")
    #expect(neighbors.count == 6)
  }
}
