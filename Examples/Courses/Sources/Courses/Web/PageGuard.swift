import HTTPTypes
import Hummingbird

/// Tells browsers to load nothing from elsewhere, and takes no form from another site's page.
struct PageGuard<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Browsers say where a request comes from; programs need not.
        if request.method == .post, let site = request.headers[Header.fetchSite], site != "same-origin" {
            throw HTTPError(.forbidden, message: "Forms are taken from this site's pages only.")
        }
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
            form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[Header.referrerPolicy] = "no-referrer"
        return response
    }
}

private enum Header {
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
}
