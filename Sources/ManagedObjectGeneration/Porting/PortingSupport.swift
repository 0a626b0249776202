/// The file that ported sources call: observers, timers and delayed calls with closures in the place of selectors.
public enum PortingSupport {
    /// The name of the file, which is once in each target that needs it.
    public static let fileName = "CallsByClosure.swift"

    /// The file; it compiles on Apple's platforms too.
    public static let text = """
        // Written by port-managed-objects. The file is yours: it needs nothing but Foundation.
        import Foundation

        extension NotificationCenter {
            /// Calls a method of the observer for each notification, until the observer is gone or removed.
            func addObserver<Observer: AnyObject>(
                _ observer: Observer, name: Notification.Name?, object: Any?,
                calling method: @escaping (Observer, Notification) -> Void
            ) {
                let observation = Observation(observer, name: name, object: object) { observer, notification in
                    if let observer = observer as? Observer { method(observer, notification) }
                }
                let token = addObserver(forName: name, object: object, queue: nil) { [weak observation] notification in
                    observation?.receive(notification)
                }
                observation.end = { [weak self] in self?.removeObserver(token) }
                Observation.all.add(observation)
            }

            /// Ends what ``addObserver(_:name:object:calling:)`` began; nil means any name, any object.
            func removeObservers(of observer: AnyObject, name: Notification.Name? = nil, object: Any? = nil) {
                Observation.all.remove { observation in
                    observation.isOf(observer) && (name == nil || observation.name == name)
                        && (object == nil || observation.objectID == Observation.identity(of: object))
                }
            }
        }

        extension Timer {
            /// Calls a method of the target when the timer fires; the timer keeps the target until it is invalidated.
            @discardableResult
            static func scheduledTimer<Target: AnyObject>(
                timeInterval: TimeInterval, target: Target, repeats: Bool, calling method: @escaping (Target, Timer) -> Void
            ) -> Timer {
                let call = TimerCall { method(target, $0) }
                return scheduledTimer(withTimeInterval: timeInterval, repeats: repeats) { call.method($0) }
            }

            /// As ``scheduledTimer(timeInterval:target:repeats:calling:)``, not yet in a run loop.
            convenience init<Target: AnyObject>(
                timeInterval: TimeInterval, target: Target, repeats: Bool, calling method: @escaping (Target, Timer) -> Void
            ) {
                let call = TimerCall { method(target, $0) }
                self.init(timeInterval: timeInterval, repeats: repeats) { call.method($0) }
            }

            /// As ``init(timeInterval:target:repeats:calling:)``, with the first date.
            convenience init<Target: AnyObject>(
                fireAt date: Date, interval: TimeInterval, target: Target, repeats: Bool,
                calling method: @escaping (Target, Timer) -> Void
            ) {
                let call = TimerCall { method(target, $0) }
                self.init(fire: date, interval: interval, repeats: repeats) { call.method($0) }
            }
        }

        extension NSObjectProtocol {
            /// Calls the method in a while on this thread's run loop, which keeps the object until then.
            func perform(named name: String, afterDelay delay: TimeInterval, calling method: @escaping (Self) -> Void) {
                let call = TimerCall { _ in method(self) }
                let timer = Timer(timeInterval: delay, repeats: false) { call.method($0) }
                DelayedCalls.all.add(timer, of: self, name: name)
                RunLoop.current.add(timer, forMode: .default)
            }
        }

        extension NSObject {
            /// Takes back calls that were asked for with ``perform(named:afterDelay:calling:)``; nil means all of them.
            static func cancelPreviousPerformRequests(withTarget target: AnyObject, named name: String? = nil) {
                DelayedCalls.all.cancel(of: target, name: name)
            }
        }

        /// One object that observes one name.
        ///
        /// Unchecked sendable: all but the weak reference is set once, before the observation is shared; as with selectors,
        /// the method runs on the thread that posts.
        private final class Observation: @unchecked Sendable {
            static let all = Table()

            let name: Notification.Name?
            let objectID: ObjectIdentifier?
            var end: () -> Void = {}
            private weak var observer: AnyObject?
            private let method: (AnyObject, Notification) -> Void

            init(
                _ observer: AnyObject, name: Notification.Name?, object: Any?,
                method: @escaping (AnyObject, Notification) -> Void
            ) {
                self.observer = observer
                self.name = name
                self.method = method
                objectID = Self.identity(of: object)
            }

            static func identity(of object: Any?) -> ObjectIdentifier? { object.map { ObjectIdentifier($0 as AnyObject) } }

            var isOver: Bool { observer == nil }

            func isOf(_ other: AnyObject) -> Bool { observer === other }

            func receive(_ notification: Notification) {
                guard let observer else { return Self.all.remove(where: \\.isOver) }
                method(observer, notification)
            }

            /// All observations. Unchecked sendable: the lock guards the list.
            final class Table: @unchecked Sendable {
                private let lock = NSLock()
                private var observations: [Observation] = []
                private var sweepAt = 64

                func add(_ observation: Observation) {
                    var ended: [Observation] = []
                    lock.lock()
                    if observations.count >= sweepAt {
                        ended = observations.filter(\\.isOver)
                        observations.removeAll(where: \\.isOver)
                        sweepAt = max(64, observations.count * 2)
                    }
                    observations.append(observation)
                    lock.unlock()
                    for observation in ended { observation.end() }
                }

                func remove(where isRemoved: (Observation) -> Bool) {
                    lock.lock()
                    let ended = observations.filter(isRemoved)
                    observations.removeAll(where: isRemoved)
                    lock.unlock()
                    for observation in ended { observation.end() }
                }
            }
        }

        /// What a timer calls. Unchecked sendable: it is called on the thread of the timer's run loop only.
        private final class TimerCall: @unchecked Sendable {
            let method: (Timer) -> Void

            init(_ method: @escaping (Timer) -> Void) { self.method = method }
        }

        /// The timers of delayed calls. Unchecked sendable: the lock guards the list.
        private final class DelayedCalls: @unchecked Sendable {
            static let all = DelayedCalls()

            private let lock = NSLock()
            private var timers: [(target: ObjectIdentifier, name: String, timer: Timer)] = []

            func add(_ timer: Timer, of target: AnyObject, name: String) {
                lock.lock()
                defer { lock.unlock() }
                timers.removeAll { !$0.timer.isValid }
                timers.append((ObjectIdentifier(target), name, timer))
            }

            func cancel(of target: AnyObject, name: String?) {
                lock.lock()
                defer { lock.unlock() }
                timers.removeAll { entry in
                    guard entry.target == ObjectIdentifier(target), name == nil || entry.name == name else { return false }
                    entry.timer.invalidate()
                    return true
                }
            }
        }

        """
}
