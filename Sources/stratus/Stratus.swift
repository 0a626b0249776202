import ArgumentParser
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordStorageSQLite

@main struct Stratus: AsyncParsableCommand {
    @Option var data = "./data"
    @Option var port = 8080
    @Flag var quiet = false

    mutating func run() async throws {
        let tenant = Tenant(container: try ContainerID("iCloud.stratus.demo"), environment: .development)
        try await ServerRunner.run(
            ServerRunner.Options(
                dataDirectory: data, server: ServerOptions(port: port), publicWrites: .users,
                logsRequests: !quiet)
        ) { _, store in
            try? await store.write { writer in
                try writer.insert(
                    TokenRow(kind: .api, tenant: tenant, user: nil, label: "a", createdAt: 0, expiresAt: nil),
                    digest: AccessToken.digest("api"))
                try writer.insert(
                    TokenRow(
                        kind: .web, tenant: tenant, user: "_u", label: "a", createdAt: 0, expiresAt: nil),
                    digest: AccessToken.digest("web"))
            }
        }
    }
}
