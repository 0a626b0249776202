internal import RecordModel
internal import RecordWire

/// Gives the web auth token of the user who is signed in, for requests of web services.
///
/// The service is asked first whether the token is good. Its tokens belong to a user and a container, not to an API
/// token, so the one of the container is given.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The API token that the web auth token is to be used with.
    open var apiToken: String?

    /// Called once at the end with the token.
    open var fetchWebAuthTokenResultBlock: ((_ operationResult: Result<String, any Error>) -> Void)?
    /// Called once at the end; the older form of ``fetchWebAuthTokenResultBlock``.
    open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

    /// Makes an operation without an API token, to be set before it is added.
    override public init() {}

    /// Makes an operation for an API token.
    public convenience init(apiToken APIToken: String) {
        self.init()
        apiToken = APIToken
    }

    override func work() async {
        do throws(CKError) {
            let token = try await token()
            fetchWebAuthTokenResultBlock?(.success(token))
            fetchWebAuthTokenCompletionBlock?(token, nil)
        } catch {
            fetchWebAuthTokenResultBlock?(.failure(error))
            fetchWebAuthTokenCompletionBlock?(nil, error)
        }
    }

    private func token() async throws(CKError) -> String {
        guard apiToken?.isEmpty == false else {
            throw CKError(.invalidArguments, "No API token was set.", remedy: "Set apiToken.")
        }
        let client = target.client
        guard client.tokens.current != nil else {
            throw CKError(
                .notAuthenticated, "Nobody is signed in.",
                remedy: "Sign in with StratusAccount, or set the container's webAuthToken.")
        }
        let _: UserIdentityResponse = try await client.send(
            .usersCaller, in: .public, body: nil, options: requestOptions,
            as: UserIdentityResponse.self)
        guard let token = client.tokens.current else {
            throw CKError(.notAuthenticated, "The user signed out meanwhile.")
        }
        return token
    }
}
