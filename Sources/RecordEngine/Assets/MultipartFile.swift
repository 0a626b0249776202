import NIOCore
import RecordModel

/// Takes the file out of a `multipart/form-data` body while the body comes in.
///
/// The first part that has a file name, or that is called `files` or `file`, is the file; others are passed over.
struct MultipartFile {
    private enum State {
        /// Before the file, or after it.
        case skipping
        case file
    }

    private var reader: MultipartReader
    private var state = State.skipping
    private var hasFile = false

    /// Looks at a content type; nil for one that is not multipart.
    ///
    /// - Throws: `BAD_REQUEST` for a multipart body that names no boundary.
    init?(contentType: String) throws(ServiceError) {
        guard let reader = try MultipartReader(contentType: contentType) else { return nil }
        self.reader = reader
    }

    /// Takes a piece of the body, and gives the pieces of the file that are certain now.
    ///
    /// - Throws: `BAD_REQUEST` for headers that have no end.
    mutating func take(_ piece: ByteBuffer) throws(ServiceError) -> [ByteBuffer] {
        var pieces: [ByteBuffer] = []
        for event in try reader.take(piece) {
            switch event {
            case .part(let part):
                guard !hasFile, part.fileName != nil || part.name == "files" || part.name == "file" else {
                    continue
                }
                hasFile = true
                state = .file
            case .bytes(let bytes): if state == .file { pieces.append(bytes) }
            case .partEnd: state = .skipping
            }
        }
        return pieces
    }

    /// Checks at the end of the body that there was a file, and all of it.
    ///
    /// - Throws: `BAD_REQUEST` also where the last boundary is missing: the body was cut off then.
    func finish() throws(ServiceError) {
        guard hasFile else {
            throw ServiceError(
                .badRequest, "The multipart body has no file.", remedy: "Name the part of the file 'files'.")
        }
        guard reader.isWhole else { throw .uploadCutOff(nil) }
    }
}
