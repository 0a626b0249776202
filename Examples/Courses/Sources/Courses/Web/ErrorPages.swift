import HTTPTypes
import Hummingbird

/// Tells a person who opens an address that does not exist so, on a page; scripts and programs get JSON.
struct ErrorPages<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where request.headers[.accept]?.contains("text/html") == true {
            var response = Response(
                PageFrame.html(
                    title: error.status.reasonPhrase,
                    """
                    <main>
                    <h1>\(error.status.reasonPhrase)</h1>
                    <p class="empty">\(error.body ?? "There is no page at this address.")</p>
                    <p><a href="/">All courses</a></p>
                    </main>
                    """))
            response.status = error.status
            return response
        }
    }
}
