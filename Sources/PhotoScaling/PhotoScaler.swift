public import Foundation
internal import TemporaryFiles

/// Makes photos small enough to be sent: JPEG files no wider than they need to be, the right way up.
///
/// ```swift
/// try await PhotoScaler().withTemporaryPhoto(of: file) { photo in
///     record["image"] = CKAsset(fileURL: photo)
///     try await database.save(record)
/// }
/// ```
///
/// It reads JPEG, PNG, WebP and GIF (the first picture), recognised by their contents. The result has what the picture
/// shows and nothing else: where and when it was taken is left out. A damaged file is an error, whatever it holds.
public struct PhotoScaler: Sendable {
    /// The width in pixels that a photo is scaled down to; a smaller one keeps its size.
    public var maximumWidth: Int
    /// JPEG's quality, from 0 to 1.
    public var quality: Double

    private static let directory = ScratchDirectory(name: "stratus-photos")

    /// Creates a scaler; numbers out of range become the nearest one in it.
    public init(maximumWidth: Int = 1024, quality: Double = 0.8) {
        self.maximumWidth = min(max(1, maximumWidth), PhotoLimits.side)
        self.quality = quality.isNaN ? 0.8 : min(max(0, quality), 1)
    }

    /// A photo as the bytes of a JPEG file.
    ///
    /// - Throws: ``PhotoError``.
    public func jpeg(from data: Data) throws(PhotoError) -> Data {
        guard data.count <= PhotoLimits.fileBytes else { throw Self.tooManyBytes }
        let bytes = Array(data)
        let header = try PictureHeader(bytes)
        guard header.width <= PhotoLimits.pixels / header.height else {
            throw PhotoError(
                .tooLarge, "The picture has \(header.width) times \(header.height) pixels.",
                remedy: "Use one of at most \(PhotoLimits.pixels) pixels.")
        }
        guard let picture = GDPicture(bytes, format: header.format),
            picture.width > 0, picture.height > 0
        else { throw PhotoError.damaged }
        let size = size(of: picture, header.orientation)
        guard max(size.width, size.height) <= PhotoLimits.side else {
            throw PhotoError(
                .tooLarge, "The photo would have a side of \(max(size.width, size.height)) pixels.",
                remedy: "Use a picture of at most \(PhotoLimits.side) pixels on each side.")
        }
        guard let scaled = picture.scaled(width: size.width, height: size.height),
            let turned = scaled.turned(header.orientation),
            let jpeg = turned.jpeg(quality: Int((quality * 100).rounded()))
        else { throw PhotoError(.damaged, "The photo cannot be made.", remedy: "Try a smaller picture.") }
        return Data(jpeg)
    }

    /// A photo in a temporary file.
    ///
    /// The file is removed with the last reference to the result, when the process ends, or by the next start after it
    /// was killed.
    /// - Throws: ``PhotoError``.
    public func writeJPEG(from file: URL) throws(PhotoError) -> TemporaryPhoto {
        try writeJPEG(from: Self.read(file))
    }

    /// A photo in a temporary file; see ``writeJPEG(from:)-(URL)``.
    ///
    /// - Throws: ``PhotoError`` where the data is no picture, too large, or cannot be written.
    public func writeJPEG(from data: Data) throws(PhotoError) -> TemporaryPhoto {
        let jpeg = try jpeg(from: data)
        do {
            let file = try TemporaryFile(in: Self.directory, extension: "jpg")
            try jpeg.write(to: file.url)
            return TemporaryPhoto(file)
        } catch {
            throw PhotoError(
                .noRoom, "The photo's temporary file cannot be written.",
                remedy: "Free some space where temporary files are, or set TMPDIR.", cause: error)
        }
    }

    /// Does something with a photo in a temporary file, which is removed afterwards whatever happens.
    ///
    /// - Throws: ``PhotoError``, or what the body throws.
    public func withTemporaryPhoto<Value>(
        of file: URL, isolation: isolated (any Actor)? = #isolation,
        _ body: (_ photo: URL) async throws -> Value
    ) async throws -> Value {
        let photo = try writeJPEG(from: file)
        defer { photo.remove() }
        return try await body(photo.url)
    }

    /// Does something with a photo in a temporary file, which is removed afterwards whatever happens.
    ///
    /// - Throws: ``PhotoError``, or what the body throws.
    public func withTemporaryPhoto<Value>(
        of data: Data, isolation: isolated (any Actor)? = #isolation,
        _ body: (_ photo: URL) async throws -> Value
    ) async throws -> Value {
        let photo = try writeJPEG(from: data)
        defer { photo.remove() }
        return try await body(photo.url)
    }

    /// The size to scale to before the picture is turned: it is the displayed width that counts.
    private func size(of picture: GDPicture, _ orientation: Orientation) -> (width: Int, height: Int) {
        let shown = orientation.swapsSides ? picture.height : picture.width
        guard shown > maximumWidth else { return (picture.width, picture.height) }
        let factor = Double(maximumWidth) / Double(shown)
        func scaled(_ side: Int) -> Int {
            side == shown ? maximumWidth : max(1, Int((Double(side) * factor).rounded()))
        }
        return (scaled(picture.width), scaled(picture.height))
    }

    private static func read(_ file: URL) throws(PhotoError) -> Data {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: PhotoLimits.fileBytes + 1) ?? Data()
            guard data.count <= PhotoLimits.fileBytes else { throw tooManyBytes }
            return data
        } catch let error as PhotoError {
            throw error
        } catch {
            throw PhotoError(
                .unreadable, "The file '\(file.path)' cannot be read.",
                remedy: "Check its path and its rights.",
                cause: error)
        }
    }

    private static var tooManyBytes: PhotoError {
        PhotoError(
            .tooLarge, "The file is larger than \(PhotoLimits.fileBytes) bytes.",
            remedy: "Use a smaller file.")
    }
}

/// A photo in a temporary file, which goes with the last reference to the instance.
public final class TemporaryPhoto: Sendable {
    private let file: TemporaryFile

    init(_ file: TemporaryFile) { self.file = file }

    /// Where the photo is.
    public var url: URL { file.url }

    /// Removes the file now; doing it twice does no harm.
    public func remove() { file.remove() }
}
