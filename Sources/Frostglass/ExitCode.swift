/// The exit codes of the command.
public enum ExitCode {
  public static let done: Int32 = 0
  /// `compare` found more difference than tolerated.
  public static let different: Int32 = 1
  /// The words on the command line are wrong.
  public static let usage: Int32 = 64
  /// The input is not a picture that can be used.
  public static let badData: Int32 = 65
  /// The input is not there or may not be read.
  public static let noInput: Int32 = 66
  /// The backend that was asked for is not available.
  public static let unavailable: Int32 = 69
  /// Our fault.
  public static let software: Int32 = 70
  /// The output cannot be written.
  public static let cannotCreate: Int32 = 73
}
