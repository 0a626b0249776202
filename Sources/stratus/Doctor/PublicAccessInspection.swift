import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Who can come in to a server that others can reach, and what they may do: by its settings and by what its store says.
struct PublicAccessInspection {
    /// What the store says of it.
    struct Facts {
        /// The sign-in pages on which people make accounts by themselves.
        var openPages: [Tenant] = []
        /// Operators who enter without a second step, and all of them.
        var operatorsWithoutStep: [String] = []
        var operators = 0
        /// The record types of production whose records everybody may make or change, without signing in.
        var worldTypes: [String] = []
        /// Whether any database has encrypted fields.
        var hasEncryptedFields = false

        init() {}

        /// - Throws: `StorageError` where the store cannot be read.
        init(_ reader: any StoreReader) throws {
            for tenant in try reader.tenants() {
                let admission = try reader.signInPolicy(of: tenant)?.admission ?? .operators
                if admission != .operators { openPages.append(tenant) }
                guard tenant.environment == .production else { continue }
                for type in try reader.schema(of: tenant).types.values.sorted(by: { $0.name < $1.name }) {
                    let isOpen = type.effectiveGrants.contains {
                        $0.role == SecurityGrant.worldRole
                            && !$0.permissions.isDisjoint(with: [.create, .write])
                    }
                    if isOpen { worldTypes.append("\(type.name) of \(tenant.container)") }
                }
            }
            for row in try reader.operators() {
                operators += 1
                if try !OperatorSteps.isOn(row.name, reader) { operatorsWithoutStep.append(row.name) }
            }
        }
    }

    /// The most names in a sentence.
    private static let shown = 5

    let settings: ServerSettings
    let facts: Facts

    /// What was found; nothing for a server that only this machine can reach.
    func findings() -> [StoreFinding] {
        guard settings.isPublic else { return [] }
        return [mail, secondStep, grants, rates, webhooks, masterKey].compactMap { $0 }
    }

    private var mail: StoreFinding? {
        guard settings.mailServer == nil else {
            return StoreFinding("public-mail", .good, "People get their links by mail.")
        }
        guard !facts.openPages.isEmpty else { return nil }
        return StoreFinding(
            "public-mail", .warning,
            "People make accounts for \(Self.list(facts.openPages.map(\.description))), and no server takes mails: their links are in the log.",
            remedy: "Set STRATUS_MAIL_SERVER; until then, whoever reads the log can take over accounts.")
    }

    private var secondStep: StoreFinding? {
        guard facts.operators > 0 else { return nil }
        guard settings.operatorSecondStep != .required, !facts.operatorsWithoutStep.isEmpty else {
            return StoreFinding("public-second-step", .good, "Operators need a second step to enter.")
        }
        return StoreFinding(
            "public-second-step", .warning,
            "Operators enter the console without a second step: \(Self.list(facts.operatorsWithoutStep)).",
            remedy: "Set --operator-second-step required; each sets one up when entering the next time.")
    }

    private var grants: StoreFinding {
        guard !facts.worldTypes.isEmpty else {
            return StoreFinding(
                "public-grants", .good, "In production, only who has signed in makes and changes records.")
        }
        return StoreFinding(
            "public-grants", .warning,
            "In production, everybody makes or changes records without signing in: \(Self.list(facts.worldTypes)).",
            remedy:
                "Grant CREATE to \"_icloud\" and WRITE to \"_creator\" instead of \"_world\": 'stratus schema import'."
        )
    }

    /// The rate of tokens does not count: an app's is shared by all who use it, and has no bound unless somebody sets one.
    private var rates: StoreFinding {
        let off = [
            ("--address-rate", settings.rates.perAddress), ("--user-rate", settings.rates.perUser),
        ].filter { $0.1 == 0 }.map(\.0)
        guard !off.isEmpty else {
            return StoreFinding("public-rates", .good, "How many requests clients may send is limited.")
        }
        return StoreFinding(
            "public-rates", .warning, "Clients may send any number of requests: \(Self.list(off)) 0.",
            remedy: "Leave them out, for the numbers that /limits publishes.")
    }

    private var webhooks: StoreFinding? {
        guard settings.webhookTargets == .any else { return nil }
        return StoreFinding(
            "public-webhooks", .warning,
            "Webhooks reach addresses of this machine and of private networks.",
            remedy: "Leave out --webhook-targets any, unless each container's operators may reach those.")
    }

    /// A copy of the folder, a backup for example, would have both.
    private var masterKey: StoreFinding? {
        guard facts.hasEncryptedFields else { return nil }
        let isBeside =
            if let file = settings.masterKeyFile {
                Self.isInside(file, settings.dataDirectory)
            } else {
                settings.masterKey == nil && settings.secret == nil
            }
        guard isBeside else {
            return StoreFinding("public-master-key", .good, "The master key is not beside the data.")
        }
        return StoreFinding(
            "public-master-key", .warning,
            "The master key of encrypted fields is in the data directory: who copies that can read them.",
            remedy: "Keep it elsewhere: --master-key-file, then 'stratus key rotate'.")
    }

    private static func isInside(_ file: String, _ directory: String) -> Bool {
        let (file, directory) = (
            URL(fileURLWithPath: file).standardizedFileURL.path,
            URL(fileURLWithPath: directory).standardizedFileURL.path
        )
        return file.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(shown).joined(separator: ", ")
            + (names.count > shown ? " and \(names.count - shown) more" : "")
    }
}
