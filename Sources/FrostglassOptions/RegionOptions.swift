package import Frostglass
package import FrostglassCore
package import FrostglassStills

/// The options that say where a recipe acts.
package struct RegionOptions: Sendable {
  /// Options for regions of any shape.
  package static let regions: [Option] = [
    Option(
      "region", value: "SHAPE", "Limit to a region: X,Y,W,H, ellipse(…), … (repeatable)",
      details: "Several regions may also be separated by semicolons."
    ).thatCanRepeat,
    Option(
      "regions", value: "FILE",
      "Limit to regions of a JSON, CSV or YOLO file",
      details: "The formats that detectors write; for YOLO, FILE is a directory."),
    Option(
      "regions-format", value: "NAME", "Format of FILE (by its contents)",
      choices: RegionsFormat.allCases.map(\.rawValue)),
    Option(
      "regions-of", value: "NAME|ID",
      "Use the entry with this name or id (the input's name)"),
    Option(
      "min-score", value: "0…1", "Ignore regions with a lower score",
      details: "Regions without a score are kept."),
    Option("labels", value: "A,B", "Use only regions with these labels: face,plate"),
    Option("outlines", "Prefer outlines or masks to boxes"),
    Option(
      "mask", value: "FILE", "Limit to where this image is white or opaque",
      details: "An image with alpha counts where it is opaque, another where it is white."),
    Option(
      "mask-channel", value: "C", "auto, luma, alpha, red, green or blue (auto)",
      details: "Channel of the mask image that is used."),
    Option("feather", value: "N|N%", "Width of the soft edge outside regions (0)"),
    Option("invert", "Invert the mask"),
  ]

  /// The regions that an image carries; a request's image has no file to read them from first.
  package static let fromMetadata = Option(
    "regions-from", value: "metadata", "Take the regions in the image's own XMP",
    choices: ["metadata"]
  ).grouped(.place)

  /// Options for regions and for the effect there.
  package static let table: [Option] =
    regions + [
      Option("grow", value: "N|N%", "Grow regions, or shrink them if negative (0)"),
      Option(
        "mask-use", value: "U",
        "show, confine or scale (show)",
        details:
          "show: the effect shows inside the mask; confine: nothing from outside bleeds in, either; scale: the mask scales σ."
      ),
    ]

  /// Options that make `redact` accept doubtful masks.
  package static let allowances: [Option] = [
    Option("allow-outside", "Accept regions outside the image"),
    Option("allow-other-size", "Accept a mask or regions made for another size"),
    Option("allow-no-alpha", "Accept a mask without an alpha channel"),
  ]

  /// The mask for plans.
  package var mask: Mask
  /// The regions in use, with labels; without the mask image.
  package var regions: [Region]
  /// The regions of `--region`.
  private let given: [Region]
  private let files: [RegionsFile]
  /// Pixels of an image whose own regions are taken, at most; `nil` where they are not.
  private let metadataPixels: Int?
  /// The state of the image whose own regions were taken; `nil` where they are not.
  private var carrier: FileVersion?
  /// The filter that selects regions of the files.
  package let filter: RegionFilter
  /// The number of regions that the filter left out.
  package private(set) var leftOut: RegionFilter.LeftOut
  /// Warnings about the files for the user, whatever the image.
  package private(set) var remarks: [String] = []
  /// The value of `--regions-of`.
  private let called: String?
  /// The image's names in files of several images.
  package private(set) var pictures: [String] = []
  /// The search that found the last of the regions; `nil` where none was asked for.
  package private(set) var search: FindRecord?
  private var picture: MaskImage?
  /// A warning about a mask in which the effect hardly shows: most likely its values are labels.
  private var faintness: String?
  /// The mask's path, for messages.
  private var path = ""

  /// Reads the files that the options name.
  ///
  /// - Parameters:
  ///   - grow: the default of `grow`.
  ///   - refusing: true refuses doubtful masks unless they are allowed.
  /// - Returns: `nil` when no option says where.
  package init?(
    _ arguments: ParsedArguments, grow: Length = 0, refusing: Bool = false
  ) throws(Failure) {
    given = try Self.shapes(arguments)
    files = try Self.files(arguments)
    called = arguments.values["regions-of"]
    metadataPixels = try Self.metadataPixels(arguments)
    for option in ["regions-of", "regions-format"] where arguments.has(option) && files.isEmpty {
      throw .usage("--\(option) needs --regions FILE")
    }
    for option in ["min-score", "labels", "outlines"]
    where arguments.has(option) && files.isEmpty && !arguments.has("tracks")
      && metadataPixels == nil
    {
      throw .usage("--\(option) needs --regions FILE")
    }
    regions = given
    if let path = arguments.values["mask"] {
      self.path = path
      picture = try Self.picture(path, arguments)
      // What is redacted is all that is not 0.
      faintness = refusing ? nil : picture?.faintness.map { "warning: \(path): \($0)" }
    }
    // What is covered frame by frame has a mask of its own in each; this is what they have in common.
    guard
      !given.isEmpty || !files.isEmpty || picture != nil || metadataPixels != nil
        || arguments.has("tracks") || arguments.has("find")
    else {
      for option in ["mask-channel", "feather", "grow", "invert", "mask-use"]
      where arguments.has(option) {
        throw .usage("--\(option) needs --region, --regions or --mask")
      }
      return nil
    }
    filter = try Self.filter(arguments)
    leftOut = RegionFilter.LeftOut()
    if picture == nil, arguments.has("mask-channel") {
      throw .usage("--mask-channel needs --mask FILE")
    }
    mask = Mask(
      [], feather: try Self.length("feather", arguments, isSigned: false) ?? 0,
      grow: try Self.length("grow", arguments, isSigned: true) ?? grow,
      isInverted: arguments.has("invert"), use: try arguments.choice("mask-use", default: .show))
    if arguments.has("find"), mask.grow.value < 0 {
      throw .usage("--grow is \(mask.grow); with --find it must be 0 or more")
    }
    if refusing {
      mask.refused = Set(
        MaskWarning.Kind.allCases.filter { !arguments.has(Self.allowance($0)) })
    }
    do {
      for file in files {
        for label in try file.check(filter) {
          remarks.append("warning: no region has the label \(label)")
        }
      }
    } catch { throw error.failure }
    do { try choose(arguments.picture) } catch {
      // A batch asks for each of its images.
      guard arguments.has("out-dir") else { throw error.failure }
    }
  }

  /// Returns the same options for one image of a batch.
  ///
  /// - Returns: `nil` where the files have no regions of it, and the number of its regions that the filter leaves out.
  package func chosen(
    for source: StillSource
  ) throws(Failure) -> (options: RegionOptions?, leftOut: RegionFilter.LeftOut) {
    guard !files.isEmpty || metadataPixels != nil else { return (self, RegionFilter.LeftOut()) }
    var other = self
    do { try other.choose(source.picture) } catch {
      switch error {
      case .noRegions, .unknownImage: return (nil, RegionFilter.LeftOut())
      case .allLeftOut(_, _, let leftOut): return (nil, leftOut)
      default: throw error.failure
      }
    }
    return (other, other.leftOut)
  }

  /// Returns the same options with the regions that were found in the image added.
  package func adding(_ search: FindRecord) -> RegionOptions {
    var other = self
    other.search = search
    other.regions += search.found.covered.map(\.region)
    other.mask.shapes = other.regions.map(\.shape) + (picture.map { [.picture($0)] } ?? [])
    return other
  }

  /// Returns a recipe that acts where the regions are; where a search found none and none is given, it does
  /// nothing, or acts everywhere if it is to spare them.
  package func restricted(_ recipe: Recipe) -> Recipe {
    var recipe = recipe
    recipe.options.mask = mask
    guard search != nil, mask.shapes.isEmpty else { return recipe }
    guard mask.isInverted else {
      (recipe.chain, recipe.options.mask) = ([], nil)
      return recipe
    }
    let whole = Length(100, .percent)
    recipe.options.mask?.shapes = [.rectangle(x: 0, y: 0, width: whole, height: whole)]
    recipe.options.mask?.isInverted = false
    return recipe
  }

  /// Returns a job that acts where the regions are, and that writes nothing if a search looked at another file than
  /// the one that is read then.
  package func restricted(_ job: Job) -> Job {
    var job = job
    for index in job.outputs.indices {
      job.outputs[index].recipe = restricted(job.outputs[index].recipe)
    }
    return checked(job)
  }

  /// Returns the same job, which reads the file in which regions were found, in the state that it had then, or writes
  /// nothing.
  package func checked(_ job: Job) -> Job {
    guard let file = carrier ?? search?.file else { return job }
    var job = job
    job.decoding.version = file
    // The state of what is open is compared when it is opened; by the end somebody may have written to it.
    job.accepting = { [name = job.source.name] () throws(FrostglassError) in
      guard file.isCurrent else { throw .decode(.changed(name: name)) }
    }
    return job
  }

  /// The labels of the covered regions.
  package var labels: [String?] {
    regions.map(\.label) + (picture == nil ? [] : ["mask"])
  }

  /// Takes the regions of an image from the files.
  private mutating func choose(_ picture: RegionsImage) throws(RegionsError) {
    regions = given
    pictures = []
    leftOut = RegionFilter.LeftOut()
    mask.imageSizes = []
    var files = files
    if let metadataPixels, case .file(let path) = picture {
      let own = try RegionsFile.inMetadata(of: path, maxPixels: metadataPixels)
      carrier = own.version
      files.append(own.file)
    }
    for file in files {
      let found = try file.selection(called.map { .called($0) } ?? picture, filter)
      regions += found.regions
      leftOut += found.leftOut
      if let size = found.imageSize { mask.imageSizes.insert(size) }
      if called == nil, let name = found.picture { pictures.append(name) }
    }
    mask.shapes = regions.map(\.shape) + (self.picture.map { [.picture($0)] } ?? [])
  }

  /// Pixels of an image whose own regions are taken, at most.
  private static func metadataPixels(_ arguments: ParsedArguments) throws(Failure) -> Int? {
    guard let what = arguments.values["regions-from"] else { return nil }
    guard what == "metadata" else {
      throw .usage("--regions-from is \(what); it must be metadata; --regions FILE reads a file")
    }
    guard !arguments.has("regions-of") else {
      throw .usage("--regions-of and --regions-from exclude each other; each image has its own")
    }
    guard arguments.operands.first != "-" else {
      throw .usage("--regions-from reads the image before it is read once more; give a file")
    }
    return try arguments.integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels
  }

  private static func allowance(_ doubt: MaskWarning.Kind) -> String { "allow-\(doubt.rawValue)" }

  private static func shapes(_ arguments: ParsedArguments) throws(Failure) -> [Region] {
    var regions: [Region] = []
    for text in arguments.repeated["region"] ?? [] {
      do {
        regions += try MaskShape.list(text: text).map { Region($0) }
      } catch { throw .usage("--region: \(error)") }
    }
    return regions
  }

  private static func files(_ arguments: ParsedArguments) throws(Failure) -> [RegionsFile] {
    var format: RegionsFormat?
    if let name = arguments.values["regions-format"] {
      format = try arguments.choice("regions-format", default: .json)
      guard arguments.repeated["regions-format"]?.count == 1 else {
        throw .usage("--regions-format is given twice, \(name) last; it is for all --regions")
      }
    }
    var files: [RegionsFile] = []
    for path in arguments.repeated["regions"] ?? [] {
      files.append(try arguments.files.regions(path, format))
    }
    return files
  }

  static func filter(_ arguments: ParsedArguments) throws(Failure) -> RegionFilter {
    let labels = try arguments.list("labels", accepted: "labels between commas, such as face,plate")
    {
      (word: String) -> String? in
      let label = word.split(separator: " ").joined(separator: " ")
      return label.isEmpty ? nil : label
    }
    return RegionFilter(
      minimumScore: try arguments.number("min-score", in: 0...1), labels: labels ?? [],
      takesOutlines: arguments.has("outlines"))
  }

  private static func picture(
    _ path: String, _ arguments: ParsedArguments
  ) throws(Failure) -> MaskImage {
    guard arguments.repeated["mask"]?.count == 1 else {
      throw .usage("--mask is given twice; several masks cannot be combined, regions can")
    }
    let maxPixels =
      try arguments.integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels
    let channel: MaskChannel = try arguments.choice("mask-channel", default: .automatic)
    return try arguments.files.mask(
      path, channel, maxPixels: maxPixels, maxMemory: try arguments.bytes("memory"))
  }

  private static func length(
    _ name: String, _ arguments: ParsedArguments, isSigned: Bool
  ) throws(Failure) -> Length? {
    guard let text = arguments.values[name] else { return nil }
    guard let length = Length(text: text), isSigned || length.value >= 0 else {
      throw .usage(
        "--\(name) is \(text); it must be a number of pixels\(isSigned ? "" : ", 0 or more"), or "
          + "one with px, pt or % of the shorter side")
    }
    return length
  }

  /// Returns warnings for the user about the mask when it is used for an image.
  package func notes(for plan: Plan, scale: Double) -> [String] {
    notes(in: plan.inputs[0].size, scale: scale)
  }

  /// Returns the same warnings for an image of this size.
  package func notes(in size: Size, scale: Double) -> [String] {
    mask.doubts(in: size, scale: scale).map { "warning: \(words($0))" }
      + [faintness].compactMap { $0 }
  }

  /// Returns the failure for refused doubts, with the options that allow them; `nil` for other errors.
  package func refusal(_ error: FrostglassError) -> Failure? {
    guard case .plan(.doubtful(let doubts)) = error else { return nil }
    let told = doubts.prefix(Self.mostTold).map(words)
    let more = doubts.count > told.count ? ["and \(doubts.count - told.count) more"] : []
    let allowances = MaskWarning.Kind.allCases.filter { kind in doubts.contains { $0.kind == kind }
    }
    return Failure(
      (told + more).joined(separator: "; ") + "; it may not be what was meant, "
        + allowances.map { "--\(Self.allowance($0))" }.joined(separator: " and ")
        + " goes on all the same",
      error.kind)
  }

  /// Doubts that a message lists.
  private static let mostTold = 4

  /// A doubt with the names that were given.
  private func words(_ doubt: MaskWarning) -> String {
    guard let shape = doubt.shape else { return "\(doubt)" }
    guard regions.indices.contains(shape) else {
      return path.isEmpty ? "\(doubt)" : "\(path): \(doubt)"
    }
    return regions[shape].label.map { "\(doubt) (\($0))" } ?? "\(doubt)"
  }
}

extension MaskImage {
  /// A warning where the largest value is below a quarter; `nil` otherwise, and where all values are 0.
  fileprivate var faintness: String? {
    let largest = samples.max() ?? 0
    guard largest > 0, largest < 1 << 14 else { return nil }
    let value = largest % 257 == 0 ? "\(largest / 257) of 255" : "\(largest) of 65535"
    return
      "the mask's largest value is \(value), so that the effect hardly shows; white is where it is to show: "
      + "if the values are labels, write 0 and 255 instead"
  }
}

extension ParsedArguments {
  /// The image whose regions are wanted: the first operand. A batch asks for each of its images later.
  fileprivate var picture: RegionsImage {
    operands.first.map { StillSource.file($0).picture } ?? .only
  }
}

extension StillSource {
  /// The names by which a file of regions may know the image.
  fileprivate var picture: RegionsImage {
    switch self {
    case .file("-"), .standardInput, .bytes: .only
    case .file(let path): .file(path)
    }
  }
}

extension ParsedArguments {
  /// The value of an option that takes several, separated by commas.
  ///
  /// - Parameters:
  ///   - accepted: a description of the accepted words, for the message.
  ///   - read: `nil` for a word that is none of them.
  package func list<Value>(
    _ name: String, accepted: String, _ read: (String) -> Value?
  ) throws(Failure) -> [Value]? {
    guard let text = values[name] else { return nil }
    var list: [Value] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = read(String(word)) else {
        let place = word == text ? "" : ", where \"\(word)\" is wrong"
        throw .usage("--\(name) is \(text)\(place); it must be \(accepted)")
      }
      list.append(value)
    }
    return list
  }
}
