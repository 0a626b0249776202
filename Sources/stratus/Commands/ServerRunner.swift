/// Runs the server until it is told to stop.
enum ServerRunner {
    /// Serves with the given settings; returns after SIGTERM or Ctrl-C, when running requests are answered.
    ///
    /// - Throws: a ``Failure`` when the server cannot start.
    static func run(_ settings: ServerSettings) async throws {
        throw Failure(
            "This build has no HTTP server, so nothing listens at \(settings.host):\(settings.port).",
            remedy: "Use a build of the main branch.")
    }
}
