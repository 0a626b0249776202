/// What is refused before a picture is decoded.
public enum PhotoLimits {
    /// The largest file that is read, in bytes.
    public static let fileBytes = 67_108_864
    /// The most pixels of a picture; each takes four bytes while it is scaled.
    public static let pixels = 50_000_000
    /// The longest side of a JPEG that is written.
    public static let side = 65_500
}
