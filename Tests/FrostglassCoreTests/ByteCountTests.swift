import FrostglassCore
import Testing

/// Amounts of memory, read and written.
@Suite struct ByteCountTests {
  @Test(
    arguments: [
      ("1", 1), ("4096", 4096), ("100b", 100), ("2k", 2048), ("2K", 2048), ("512M", 512 << 20),
      ("1.5G", 1536 << 20), ("2GB", 2 << 30), ("2GiB", 2 << 30), ("1t", 1 << 40),
    ]) func amountsOfMemory(_ text: String, _ bytes: Int)
  {
    #expect(ByteCount(text: text)?.bytes == bytes)
  }

  @Test(
    arguments: [
      "", "0", "0.5", "-1", "G", "2X", "2GG", "2 G", "1e9", "2iB", "1.2.3", "nan", "9999999999T",
    ]) func noAmountsOfMemory(_ text: String)
  {
    #expect(ByteCount(text: text) == nil)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (48 << 10, "48 KiB"),
      (15 << 19, "7.5 MiB"), (139 << 30, "139 GiB"), (3 << 40, "3 TiB"),
    ]) func areWrittenShort(_ bytes: Int, _ text: String)
  {
    #expect("\(ByteCount(bytes))" == text)
  }
}
