import HTTPTypes
import HummingbirdCore
import RecordEngine

extension ServiceResponder {
    /// The answer of a site, which may be a stream; the path of the server's address is put in front of its addresses.
    func answer(of site: any Site, _ path: Substring, _ passage: inout RequestPassage) async -> Response {
        let request = SiteRequest(
            passage.request, path: path, query: passage.target.query, requestID: passage.entry.id,
            baseURL: address.base(of: passage.request), client: passage.client,
            intake: BodyIntake(passage.request, state, passage.channel, passage.invitation),
            pieces: state.pieces)
        passage.entry.route = site.name
        passage.entry.isOfClients = !site.isForOperators
        passage.entry.path = site.loggedPath(of: path).map { String($0.prefix(200)) }
        let publicPath = PublicPath.of(address.publicURL)
        let answer = await PublicPath.$current.withValue(publicPath) { await site.answer(request) }
        var response = answer.response
        PublicPath.place(publicPath, in: &response.headers)
        response.headers[ResponseHeaders.requestUUID] = passage.entry.id
        passage.entry.trace = answer.trace
        passage.entry.status = response.status.code
        passage.entry.bytesIn = answer.bytesIn
        passage.entry.isLook = answer.isLook
        if passage.request.method == .head {
            // The header with the length stays.
            let length = response.headers[.contentLength]
            response.body = ResponseBody()
            response.headers[.contentLength] = length
        } else {
            response.body = response.body.paced(by: passage.channel)
        }
        passage.entry.bytesOut = response.body.contentLength ?? 0
        return response
    }
}
