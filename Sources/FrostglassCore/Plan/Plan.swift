/// Everything that will happen to a picture, decided: a value that any backend can run.
///
/// Steps run in order. Each writes one slot that no other step writes, or is a `store` that writes one
/// of the results; the last step is one. Every number a backend needs is here.
public struct Plan: Sendable, Hashable {
  /// What an input must look like.
  public struct Input: Sendable, Hashable {
    /// Width and height, in pixels.
    public var size: Size
    /// Channels and their depth.
    public var format: PixelFormat
    /// How its alpha is to be read; `opaque` without an alpha channel.
    public var alpha: AlphaMode
    /// Whether samples are encoded or light.
    public var transfer: PixelFormat.Transfer

    /// A description; without an alpha channel `alpha` is `opaque` whatever is given.
    public init(size: Size, format: PixelFormat, alpha: AlphaMode, transfer: PixelFormat.Transfer) {
      self.size = size
      self.format = format
      self.alpha = format.layout.hasAlpha ? alpha : .opaque
      self.transfer = transfer
    }

    /// The description of an image.
    public init(_ image: Image) {
      self.init(
        size: image.size, format: image.format, alpha: image.alpha, transfer: image.transfer)
    }
  }

  /// What comes out.
  public struct Result: Sendable, Hashable {
    /// The part of the picture that is computed, in picture coordinates.
    public var rect: Rect
    /// Channels and their depth.
    public var format: PixelFormat
    /// How its alpha is to be read; `opaque` without an alpha channel.
    public var alpha: AlphaMode
    /// Whether samples are encoded or light.
    public var transfer: PixelFormat.Transfer
    /// How far a sample can be from the true one, for any input.
    public internal(set) var certifiedError: CertifiedError

    package init(
      rect: Rect, format: PixelFormat, alpha: AlphaMode, transfer: PixelFormat.Transfer,
      certifiedError: CertifiedError = CertifiedError()
    ) {
      self.rect = rect
      self.format = format
      self.alpha = alpha
      self.transfer = transfer
      self.certifiedError = certifiedError
    }

    /// Whether another one is of the same part and kind.
    func isLike(_ other: Result) -> Bool {
      rect == other.rect && Input(self) == Input(other)
    }

    /// Bytes of the result image.
    public var bytes: Int { rect.area * format.bytesPerPixel }
  }

  /// What the inputs must look like, in the order they are given.
  public internal(set) var inputs: [Input]
  /// The intermediate pictures.
  package internal(set) var slots: [Slot]
  /// What is done, in order.
  package internal(set) var steps: [Step]
  /// What comes out, of the same part of the picture: one result, or several of which each is made by
  /// a `store` with its number.
  public internal(set) var results: [Result]
  /// Whether every intermediate picture is rounded as its precision says, also where a backend could
  /// do two steps as one. So plans that have some steps in common give those the same bytes.
  package internal(set) var roundsBetweenSteps = false

  /// Puts a plan together; `validate(for:)` checks it. Slot domains are taken as given.
  package init(inputs: [Input], slots: [Slot], steps: [Step], results: [Result]) {
    self.inputs = inputs
    self.slots = slots
    self.steps = steps
    self.results = results
  }

  /// The only result, or the first of several.
  public internal(set) var result: Result {
    get { results[0] }
    set { results[0] = newValue }
  }

  /// How far a sample can be from the true one, for any input: of several results the largest error.
  public var certifiedError: CertifiedError {
    results.map(\.certifiedError).max { $0.total < $1.total } ?? CertifiedError()
  }

  /// Bytes of the result images.
  public var resultBytes: Int { results.reduce(0) { $0 + $1.bytes } }

  /// For each slot, the index of the last step that reads it.
  package var lastUses: [Int] {
    var last = [Int](repeating: -1, count: slots.count)
    for (index, step) in steps.enumerated() {
      for source in step.sources { last[source.slot] = index }
    }
    return last
  }

  /// The most bytes of intermediate pictures that exist at once, at least precision.
  public var memory: Int { peakBytes { $0.bytes } }

  /// The most bytes of intermediate pictures that exist at once when a slot takes `bytes`.
  package func peakBytes(_ bytes: (Slot) -> Int) -> Int {
    let last = lastUses
    var live = 0
    var peak = 0
    for (index, step) in steps.enumerated() {
      if let target = step.target { live += bytes(slots[target]) }
      peak = max(peak, live)
      for slot in Set(step.sources.map(\.slot)) where last[slot] == index {
        live -= bytes(slots[slot])
      }
    }
    return peak
  }

  /// Multiply-adds per result pixel and channel.
  public var multiplyAddsPerPixel: Double {
    let total = steps.reduce(0.0) { sum, step in
      let area = step.target.map { slots[$0].domain.area } ?? result.rect.area
      return sum + Double(area) * Double(step.pass.multiplyAdds)
    }
    return total / Double(result.rect.area)
  }
}

/// One intermediate picture of a plan, written by exactly one step.
package struct Slot: Sendable, Hashable {
  /// The samples that are computed, in absolute coordinates of the slot's own grid.
  ///
  /// Coordinates do not change when a plan is cropped; only the domain shrinks.
  package var domain: Rect
  package var layout: PixelFormat.Layout
  package var precision: Precision
  /// How far this picture can be from the true one.
  package var error: CertifiedError

  package init(
    domain: Rect, layout: PixelFormat.Layout, precision: Precision,
    error: CertifiedError = CertifiedError()
  ) {
    self.domain = domain
    self.layout = layout
    self.precision = precision
    self.error = error
  }

  /// Bytes this picture takes at its least precision.
  package var bytes: Int { domain.area * layout.channels * precision.bytes }
}

/// One pass with the pictures it reads and the one it writes.
package struct Step: Sendable, Hashable {
  package var pass: Pass
  /// None for `load` and `generate`, two or three for `blend`, two for `packChannels`
  /// and `displace`, one otherwise.
  package var sources: [Source]
  /// Index of the slot written; `nil` for `store`, which writes a result.
  package var target: Int?

  package init(pass: Pass, sources: [Source], target: Int?) {
    self.pass = pass
    self.sources = sources
    self.target = target
  }
}

/// Where a step reads from.
package struct Source: Sendable, Hashable {
  /// Index into the plan's slots.
  package var slot: Int
  /// Columns outside the source; `nil` when the step never reads any.
  package var x: AxisEdge?
  /// Rows outside the source; `nil` when the step never reads any.
  package var y: AxisEdge?

  package init(slot: Int, x: AxisEdge? = nil, y: AxisEdge? = nil) {
    self.slot = slot
    self.x = x
    self.y = y
  }

  /// The part of the slot that is read when `wanted` is asked for.
  package func footprint(of wanted: Rect) -> Rect {
    Rect(
      columns: x.map { $0.mode.footprint(of: wanted.columns, in: $0.range) } ?? wanted.columns,
      rows: y.map { $0.mode.footprint(of: wanted.rows, in: $0.range) } ?? wanted.rows)
  }
}
