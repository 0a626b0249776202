internal import Foundation
internal import RecordModel
internal import SignInClient

/// The place of one container in the file that programs of a person share.
///
/// Its version is looked at before each request, which costs a `stat`: another program may have renewed the token, and who
/// goes on with the one before for long looks like a thief to the service.
struct FileTokenKeeper: TokenKeeper {
    let file: CredentialFile
    let url: URL
    let tenant: Tenant
    let apiToken: String
    private var version: [Int]?
    private var isStale = false

    init(file: CredentialFile, url: URL, tenant: Tenant, apiToken: String) {
        self.file = file
        self.url = url
        self.tenant = tenant
        self.apiToken = apiToken
    }

    /// What is kept; nil for nobody.
    ///
    /// - Throws: `SignInProblem` where the file cannot be read.
    mutating func load() throws -> KeptSignIn? {
        // The version first: what is written in between is seen the next time.
        let version = file.version
        let login = try file.login(to: url, tenant)
        self.version = version
        isStale = false
        guard let login, login.apiToken == apiToken else { return nil }
        return KeptSignIn(token: login.webAuthToken, user: login.user)
    }

    mutating func look() -> KeptNews? {
        guard isStale || file.version != version else { return nil }
        do {
            return KeptNews(signIn: try load())
        } catch {
            // A file that cannot be read changes nothing; it is looked at again.
            return nil
        }
    }

    mutating func renew(_ old: String, with new: String) -> String? {
        do {
            try file.renew(old, with: new)
            if let signIn = try load() { return signIn.token }
        } catch {
            // The token is good for this process in any case.
        }
        isStale = true
        return nil
    }

    /// Keeps a sign-in, in the place of the one before.
    ///
    /// - Throws: `SignInProblem` where the file cannot be written.
    mutating func keep(_ signIn: KeptSignIn) throws {
        try file.keep(
            CredentialFile.Login(
                url: url, tenant: tenant, apiToken: apiToken, webAuthToken: signIn.token, user: signIn.user))
        version = file.version
    }

    /// Forgets the sign-in.
    ///
    /// - Throws: `SignInProblem` where the file cannot be written.
    mutating func forget() throws {
        try file.forget(url, tenant)
        version = file.version
    }
}
