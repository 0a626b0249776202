import Hummingbird
import NIOCore

/// The most that a service on this HTTP stack can do: it reads a request whole and answers so many constant
/// bytes, without looking anything up.
///
/// `ceiling PORT`, then GET or POST `/constant?bytes=N`.
@main
struct Ceiling {
    static let largestAnswer = 1 << 20

    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8099
        let application = Application(
            responder: ConstantResponder(), configuration: .init(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}

/// Answers every request alike, without a router, as the service does.
struct ConstantResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    private static let bytes = ByteBuffer(repeating: UInt8(ascii: "x"), count: Ceiling.largestAnswer)

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        if request.method == .post { _ = try await request.body.collect(upTo: Ceiling.largestAnswer) }
        let wanted = request.uri.queryParameters["bytes"].flatMap { Int($0) } ?? 0
        let count = min(max(wanted, 0), Ceiling.largestAnswer)
        // A copy, as an answer that was put together for this request would be.
        let body = ByteBuffer(bytes: Self.bytes.readableBytesView.prefix(count))
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: body))
    }
}
