/// What the condition of an `#if` is in a build on Linux.
///
/// Only what is certain is said: flags, versions and modules of the app itself are left open.
struct LinuxCondition {
    private let tokens: [String]
    private var index = 0

    /// Whether the condition holds; nil where the build decides.
    static func value(of condition: String) -> Bool? {
        var parser = LinuxCondition(tokens: words(of: condition))
        let value = parser.disjunction()
        return parser.index == parser.tokens.count ? value : nil
    }

    private init(tokens: [String]) { self.tokens = tokens }

    /// Modules of Apple's platforms that nothing on Linux has.
    private static let missingModules: Set<String> = [
        "ObjectiveC", "Darwin", "UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "WatchConnectivity",
        "CoreSpotlight", "WidgetKit", "CoreGraphics", "QuartzCore", "CoreImage", "CoreLocation", "MapKit",
        "AVFoundation",
        "StoreKit", "UserNotifications", "MobileCoreServices", "UniformTypeIdentifiers",
        "SystemConfiguration",
        "Security", "LocalAuthentication", "BackgroundTasks", "SwiftData", "AppIntents", "Intents", "Photos",
        "PhotosUI",
        "Contacts", "EventKit", "HealthKit", "HomeKit", "MessageUI", "SpriteKit", "SceneKit", "Metal",
        "CryptoKit",
        "TVUIKit", "CarPlay", "GameKit", "ActivityKit", "TipKit", "IOKit", "ServiceManagement",
    ]
    private static let presentModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Dispatch",
        "Glibc",
        "CoreData", "CloudKit", "Combine", "os", "OSLog", "XCTest", "Testing", "Synchronization",
        "RegexBuilder",
    ]

    private mutating func disjunction() -> Bool? {
        var value = conjunction()
        while consume("||") {
            let right = conjunction()
            value = value == true || right == true ? true : value == nil || right == nil ? nil : false
        }
        return value
    }

    private mutating func conjunction() -> Bool? {
        var value = term()
        while consume("&&") {
            let right = term()
            value = value == false || right == false ? false : value == nil || right == nil ? nil : true
        }
        return value
    }

    private mutating func term() -> Bool? {
        if consume("!") { return term().map { !$0 } }
        if consume("(") {
            let value = disjunction()
            return consume(")") ? value : nil
        }
        guard index < tokens.count else { return nil }
        let name = tokens[index]
        index += 1
        guard consume("(") else { return name == "true" ? true : name == "false" ? false : nil }
        var arguments: [String] = []
        while index < tokens.count, tokens[index] != ")" {
            arguments.append(tokens[index])
            index += 1
        }
        return consume(")") ? Self.value(of: name, arguments.joined()) : nil
    }

    private mutating func consume(_ token: String) -> Bool {
        guard index < tokens.count, tokens[index] == token else { return false }
        index += 1
        return true
    }

    private static func value(of name: String, _ argument: String) -> Bool? {
        switch name {
        case "os": argument == "Linux"
        case "canImport":
            missingModules.contains(argument) ? false : presentModules.contains(argument) ? true : nil
        case "targetEnvironment": false
        case "_runtime": argument == "_Native"
        default: nil
        }
    }

    /// Names with dots and commas, operators, parentheses.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var characters = Substring(text)
        while let first = characters.first {
            if first.isWhitespace {
                characters.removeFirst()
            } else if characters.hasPrefix("&&") || characters.hasPrefix("||") {
                words.append(String(characters.prefix(2)))
                characters.removeFirst(2)
            } else if first.isLetter || first.isNumber || first == "_" {
                let word = characters.prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }
                words.append(String(word))
                characters.removeFirst(word.count)
            } else {
                words.append(String(first))
                characters.removeFirst()
            }
        }
        return words
    }
}
