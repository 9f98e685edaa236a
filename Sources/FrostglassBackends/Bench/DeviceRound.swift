package import FrostglassGL

/// What a GPU took for one blur, with the frame on the device and with frames that stream.
package struct DeviceRound: Sendable, Hashable {
  /// A blur of a frame that is on the device, the result left there, one after another.
  package var blur: GLTime
  /// A copy of the frame on the device.
  package var copy: GLTime
  /// A frame among others that come from memory, are blurred and go back.
  package var streamed: Duration
  /// The same without a blur.
  package var transfer: Duration
}
