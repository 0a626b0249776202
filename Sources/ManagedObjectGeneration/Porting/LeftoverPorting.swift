/// What only a person can decide: it is said with its place and with what to do.
enum LeftoverAdvice {
    static let selector =
        "has no counterpart on Linux; pass a closure or call the method, or keep this for Apple's platforms in "
        + "#if canImport(ObjectiveC)"

    static let screens =
        "belongs to screens; keep it for Apple's platforms in #if canImport(UIKit), or leave the file out of the target"

    /// By the name of the function that takes the selector.
    static let selectorCalls: [String: String] = [
        "addTarget": screens, "UIBarButtonItem": screens, "UITapGestureRecognizer": screens,
        "UIKeyCommand": screens,
        "UIMenuItem": screens, "NSMenuItem": screens, "sendAction": screens, "CADisplayLink": screens,
        "responds":
            "asks at run time what Linux cannot answer; make the method a requirement of a protocol with a default, and "
            + "call it",
        "perform": "is called by name, which nothing does on Linux; call the method, or pass a closure",
        "addObserver":
            "is observed with a method that was not found, takes something else, throws, is async or static; use "
            + "addObserver(forName:object:queue:using:)",
        "scheduledTimer":
            "is called by a timer with user info, or was not found; use Timer.scheduledTimer(withTimeInterval:repeats:block:) "
            + "and let the closure keep what userInfo held",
        "detachNewThreadSelector": "starts a thread; use Thread.detachNewThread(_:)",
        "Thread": "starts a thread; use Thread(block:)",
        "registerUndo": "is undone with a method that was not found; use registerUndo(withTarget:handler:)",
        "NSSortDescriptor":
            "compares with a method of the app, which a store cannot call; use one of NSString's comparisons, or sort the "
            + "fetched array",
    ]

    static let attributes: [String: String] = [
        "IBAction": screens, "IBOutlet": screens, "IBInspectable": screens, "IBDesignable": screens,
        "IBSegueAction": screens, "UIApplicationMain": screens, "NSApplicationMain": screens,
        "GKInspectable": screens,
    ]

    private static let observing =
        "is Key-Value Observing, which Linux's Foundation lacks; observe NSManagedObjectContext.didChangeObjectsNotification "
        + "for managed objects, and use a closure or a publisher of your own for others"
    private static let runtime =
        "is a function of Objective-C's run time; keep the value in a stored property, or in a dictionary by "
        + "ObjectIdentifier"

    /// Words that are enough.
    static let words: [String: String] = [
        "observeValue": observing, "NSKeyValueObservation": observing, "NSKeyValueObservedChange": observing,
        "keyPathsForValuesAffectingValue": observing, "automaticallyNotifiesObservers": observing,
        "method_exchangeImplementations": runtime, "class_getInstanceMethod": runtime,
        "class_addMethod": runtime,
        "object_setClass": runtime, "objc_getClass": runtime, "class_copyPropertyList": runtime,
        "NSSelectorFromString": "calls methods by name, which nothing does on Linux; call the method",
        "NSInvocation": "calls methods by name, which nothing does on Linux; use a closure",
    ]

    /// Modules that stand at the beginning of files of a model layer.
    static let modules: Set<String> = [
        "UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "ObjectiveC", "CoreSpotlight", "CoreLocation",
        "MapKit",
        "MobileCoreServices", "WidgetKit", "Darwin", "CoreGraphics", "QuartzCore", "AVFoundation",
    ]
}

extension FilePorter {
    mutating func portWord(_ position: Int) {
        let word = file.text(position)
        if let advice = LeftoverAdvice.words[word] {
            return edits.remark(file.location(position), "'\(word)' \(advice)")
        }
        switch word {
        case "removeObserver": portRemoval(position)
        case "as": portCast(position)
        case "override" where scope(around: position)?.keyword == "extension":
            edits.remark(
                file.location(position),
                "an extension overrides '\(file.declaration(from: position)?.name ?? "")', which only Objective-C allows; move "
                    + "it into the body of the class")
        case "observe", "publisher":
            // A key path as the first argument; notifications have a name there.
            let first = file.isAt(position + 1, "(") ? position + 2 : position
            let value = file.isName(first) && file.isAt(first + 1, ":") ? first + 2 : first
            guard value > position, file.isAt(value, "\\") else { return }
            remarkObserving(position, "'\(word)(\\…)'")
        case "addObserver":
            guard file.isAt(position + 1, "(") else { return }
            let labels = file.arguments(at: position + 1).map(\.label)
            if labels.contains("forKeyPath") { remarkObserving(position, "'addObserver(_:forKeyPath:)'") }
            guard labels == [nil, "selector", "name", "object"], !file.isAt(position - 1, "func"),
                let selector = file.arguments(at: position + 1).first(where: { $0.label == "selector" }),
                !file.isAt(selector.value.lowerBound, "#selector")
            else { return }
            edits.remark(
                file.location(position),
                "'\(file.text(selector.whole))' is a selector that is not written here; use "
                    + "addObserver(forName:object:queue:using:)")
        case "responds"
        where file.isAt(position + 1, "(") && file.isAt(position + 2, "to")
            && !file.isAt(position + 4, "#selector"):
            edits.remark(
                file.location(position), "'responds(to:)' \(LeftoverAdvice.selectorCalls["responds"] ?? "")")
        case "import" where !file.isAt(position - 1, "."):
            let name = file.text(position + 1)
            // Names of ObjectiveC that are not in FoundationGaps have a remark of their own.
            guard LeftoverAdvice.modules.contains(name), name != "ObjectiveC" else { return }
            edits.remark(
                file.location(position),
                "there is no module '\(name)' on Linux, so it is imported on Apple's platforms alone; write #if canImport(\(name)) "
                    + "around what needs it")
        default: break
        }
    }

    private mutating func remarkObserving(_ position: Int, _ what: String) {
        let advice = LeftoverAdvice.words["observeValue"] ?? ""
        edits.remark(file.location(position), "\(what) \(advice)")
    }

    /// `removeObserver(self)` ends what observers by selector began, which are closures now.
    private mutating func portRemoval(_ position: Int) {
        guard file.isAt(position + 1, "("), index.hasSelectorObservers else { return }
        let arguments = file.arguments(at: position + 1)
        let labels = arguments.map(\.label)
        guard labels == [nil] || labels == [nil, "name", "object"], file.text(arguments[0].value) == "self",
            let observer = file.byteRange(arguments[0].value)
        else { return }
        edits.replace(file.tokens[position].range, by: "removeObservers")
        edits.insert("of: ", at: observer.lowerBound)
        edits.needsSupport = true
    }
}
