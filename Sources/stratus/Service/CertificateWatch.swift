import Foundation
import Logging
import RecordServer
import ServiceLifecycle

/// Takes a renewed certificate from its files while the server runs.
struct CertificateWatch: Service {
    let certificates: CertificateStore
    let logger: Logger

    private static let interval = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    guard try certificates.reloadIfChanged() else { continue }
                    logger.info(
                        "certificate taken",
                        metadata: [
                            "file": "\(certificates.files.certificate)",
                            "expires": "\(certificates.certificate.expiresAt.ISO8601Format())",
                        ])
                } catch {
                    logger.error(
                        "The new certificate cannot be used; the old one stays in use.",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
