import NIOCore
import RecordEngine
import RecordModel
import TestSupport
import Testing

/// Forms with several files, taken apart as they come in.
@Suite struct MultipartReaderTests {
    private struct Part: Equatable {
        var head: MultipartReader.Part
        var bytes: [UInt8]
    }

    @Test(arguments: Seed.some(40))
    func `Every part comes out whole and in its order, however the body is cut`(seed: Seed) throws {
        var random = seed.random
        let boundary = "b" + random.text(Array("abc01-'"), 0...20) + "z"
        let alphabet: [UInt8] = [0x0D, 0x0A, 0x2D, 0x62, 0x61, 0x00]
        var parts: [Part] = []
        var body: [UInt8] = []
        for number in 0..<random.int(0...6) {
            let fileName = random.oneIn(2) ? random.text(Array("a;=é .%"), 0...8) : nil
            let part = Part(
                head: .init(name: "file.f\(number)", fileName: fileName),
                bytes: (0..<random.int(0...400)).map { _ in random.pick(alphabet, else: 0) })
            parts.append(part)
            let file = fileName.map { "; filename=\"\($0)\"" } ?? ""
            body += Array(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"file.f\(number)\"\(file)\r\nX: y\r\n\r\n"
                    .utf8)
            body += part.bytes + [0x0D, 0x0A]
        }
        body += Array("--\(boundary)--\r\n".utf8)
        var reader = try #require(
            try MultipartReader(contentType: "multipart/form-data; boundary=\"\(boundary)\""))
        var found: [Part] = []
        var ends = 0
        var position = 0
        while position < body.count {
            #expect(!reader.isWhole || body.count - position <= 2)
            let end = min(body.count, position + random.int(1...70))
            for event in try reader.take(ByteBuffer(bytes: body[position..<end])) {
                switch event {
                case .part(let head): found.append(Part(head: head, bytes: []))
                case .bytes(let bytes): found[found.count - 1].bytes += bytes.readableBytesView
                case .partEnd: ends += 1
                }
            }
            position = end
        }
        #expect(found == parts)
        #expect(ends == parts.count)
        #expect(reader.isWhole)
    }

    @Test func `What is no multipart form is told apart`() throws {
        #expect(try MultipartReader(contentType: "application/x-www-form-urlencoded") == nil)
        for type in [
            "multipart/form-data", "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=" + String(repeating: "b", count: 71),
        ] {
            #expect(throws: ServiceError.self) { try MultipartReader(contentType: type) }
        }
        #expect(
            try MultipartReader(contentType: "Multipart/Form-Data; charset=utf-8; boundary=b ") != nil)
    }
}
