import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer

/// A form with files, taken apart as it comes in: texts are kept, files are passed on.
///
/// One task reads it, from its beginning to its end.
final class FormStream {
    private var bytes: IncomingBytes.AsyncIterator
    private var reader: MultipartReader
    private var events: [MultipartReader.Event] = []
    private var position = 0
    private var isInPart = false
    private var count = 0

    /// How much one form may carry in all: some files of the largest size.
    private static let mostBytes = 20 * Limits.assetBytes

    /// - Throws: `BAD_REQUEST` for a body without a boundary; nil for one that is not a multipart form.
    init?(_ body: IncomingBytes, contentType: String) throws(ServiceError) {
        guard let reader = try MultipartReader(contentType: contentType) else { return nil }
        self.reader = reader
        bytes = body.makeAsyncIterator()
    }

    /// The next part; what was not read of the one before is passed over. Nil at the end.
    ///
    /// - Throws: `BAD_REQUEST` for a form that was cut off, `QUOTA_EXCEEDED` for one that is too long.
    func nextPart() async throws -> MultipartReader.Part? {
        while try await nextBytes() != nil {}
        while let event = try await nextEvent() {
            guard case .part(let part) = event else { continue }
            isInPart = true
            return part
        }
        return nil
    }

    /// The next piece of the part; nil at its end.
    func nextBytes() async throws -> ByteBuffer? {
        guard isInPart else { return nil }
        switch try await nextEvent() {
        case .bytes(let bytes): return bytes
        case .part, .partEnd, nil:
            isInPart = false
            return nil
        }
    }

    /// The text of the part.
    ///
    /// - Throws: `QUOTA_EXCEEDED` for one that is longer, `BAD_REQUEST` for one that is not UTF-8.
    func text(atMost limit: Int) async throws -> String {
        var whole: [UInt8] = []
        while let piece = try await nextBytes() {
            whole += piece.readableBytesView
            guard whole.count <= limit else {
                throw ServiceError(.quotaExceeded, "The texts of the form are longer than \(limit) bytes.")
            }
        }
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw ServiceError(.badRequest, "The form is not UTF-8.")
        }
        return text
    }

    private func nextEvent() async throws -> MultipartReader.Event? {
        while position == events.count {
            guard let piece = try await bytes.next() else {
                // Where a task is cancelled, streams end as if they were whole.
                try Task.checkCancellation()
                guard reader.isWhole else {
                    throw ServiceError(
                        .badRequest, "The form is incomplete.", remedy: "Send it again.")
                }
                return nil
            }
            count += piece.readableBytes
            guard count <= Self.mostBytes else {
                throw ServiceError(.quotaExceeded, "The form is larger than \(Self.mostBytes) bytes.")
            }
            events = try reader.take(piece)
            position = 0
        }
        defer { position += 1 }
        return events[position]
    }
}

/// The bytes of one part of a form.
struct PartBytes: AsyncSequence {
    typealias Element = ByteBuffer

    let form: FormStream

    struct AsyncIterator: AsyncIteratorProtocol {
        let form: FormStream

        func next() async throws -> ByteBuffer? { try await form.nextBytes() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(form: form) }
}

extension ConsoleContext {
    /// The same with the posted form, whose files are taken in on the way.
    ///
    /// A file that cannot be taken in does not stop the rest: what was typed comes through, and the first such
    /// error with it.
    /// - Parameter take: takes a file in, and gives the value that stands for it in the form, with its name.
    /// - Throws: where the form cannot be read, or is not of this session.
    func readingForm(
        _ take: (MultipartReader.Part, PartBytes, FormValues) async throws -> (name: String, value: String)
    ) async throws -> (context: ConsoleContext, refusal: (any Error)?) {
        var context = self
        let contentType = request.request.headers[.contentType] ?? ""
        guard MultipartReader.isMultipart(contentType) else {
            context.form = try await FormValues(body: request.body(upTo: ConsoleSite.formBytes))
            try context.checkOrigin(needsToken: true)
            return (context, nil)
        }
        let body = request.incomingBytes()
        defer { body.end() }
        guard let stream = try FormStream(body, contentType: contentType) else { return (context, nil) }
        var refusal: (any Error)?
        var textBytes = 0
        while let part = try await stream.nextPart() {
            guard let fileName = part.fileName else {
                let text = try await stream.text(atMost: ConsoleSite.formBytes - textBytes)
                textBytes += text.utf8.count
                try context.form.append(part.name, text)
                continue
            }
            // What the browser sends for a chooser in which nothing was chosen.
            guard !fileName.isEmpty else { continue }
            // The token stands before all files.
            try context.checkOrigin(needsToken: true)
            do {
                let value = try await take(part, PartBytes(form: stream), context.form)
                try context.form.append(value.name, value.value)
            } catch {
                refusal = refusal ?? error
            }
        }
        try context.checkOrigin(needsToken: true)
        return (context, refusal)
    }
}
