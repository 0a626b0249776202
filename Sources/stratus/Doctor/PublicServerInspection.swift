import Foundation
import RecordEngine
import RecordServer
import RecordStorage

/// Looks at what a server that others can reach still lacks, by the settings that this process sees.
struct PublicServerInspection {
    let settings: ServerSettings
    var now = Date()

    /// When a certificate is about to end, in days.
    private static let daysBeforeEnd = 14.0
    private static let secondsPerDay = 86_400.0

    /// What was found; nothing for a server that only this machine can reach.
    func findings() -> [StoreFinding] {
        guard settings.isPublic else { return [] }
        return [tlsFinding, addressFinding, backupFinding, quotaFinding]
    }

    private var tlsFinding: StoreFinding {
        guard let certificate = settings.tlsCertificate, let key = settings.tlsKey else {
            guard settings.publicURL?.hasPrefix("https://") == true else {
                return StoreFinding(
                    "public-tls", .warning, "Tokens and records travel unencrypted.",
                    remedy:
                        "Give --tls-certificate and --tls-key, or put a proxy in front that ends TLS, and give --public-url https://…"
                )
            }
            return StoreFinding("public-tls", .good, "A proxy in front ends TLS, as --public-url says.")
        }
        do {
            let days =
                try ServerCertificate(
                    CertificateFiles(certificate: certificate, key: key), now: now
                ).expiresAt.timeIntervalSince(now) / Self.secondsPerDay
            guard days >= Self.daysBeforeEnd else {
                return StoreFinding(
                    "public-tls", .warning, "The certificate ends in \(Int(days)) days.",
                    remedy:
                        "Renew it, with certbot by 'certbot renew'; a running server picks up the new one."
                )
            }
            return StoreFinding("public-tls", .good, "The certificate is valid for \(Int(days)) more days.")
        } catch let error as CertificateError {
            return StoreFinding("public-tls", .problem, error.reason, remedy: error.remedy)
        } catch {
            return StoreFinding("public-tls", .problem, "The certificate cannot be used: \(error)")
        }
    }

    private var addressFinding: StoreFinding {
        guard settings.publicURL == nil else {
            return StoreFinding("public-address", .good, "The addresses in answers begin with --public-url.")
        }
        return StoreFinding(
            "public-address", .warning,
            "The addresses of files in answers begin with the name that each request asked for.",
            remedy: "Give the server's own address: --public-url https://records.example.org")
    }

    private var backupFinding: StoreFinding {
        guard settings.backupDirectory == nil else {
            return StoreFinding("public-backups", .good, "The server makes regular backups.")
        }
        return StoreFinding(
            "public-backups", .warning, "The server makes no regular backups.",
            remedy: "Set --backup-to to a folder on another disk, or run 'stratus backup TO' by a timer.")
    }

    private var quotaFinding: StoreFinding {
        guard settings.quotas.perUser == nil, settings.quotas.perContainer == nil else {
            return StoreFinding("public-quotas", .good, "What users may store is limited.")
        }
        return StoreFinding(
            "public-quotas", .warning, "Users may store as much as the disk holds.",
            remedy: "Set --user-quota 1GB, or --container-quota.")
    }
}

extension ServerSettings {
    /// Whether others than this machine can reach the server.
    var isPublic: Bool {
        publicURL != nil || tlsCertificate != nil || !["127.0.0.1", "::1", "localhost"].contains(host)
    }
}
