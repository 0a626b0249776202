/// A stack of changes that can be taken back, as Foundation's class of this name, which Linux lacks.
///
/// Belongs to the queue of the context that uses it.
open class UndoManager: NSObject {
    /// What one undo takes back.
    private final class Group {
        var actions: [() -> Void] = []
        var name = ""
        let parent: Group?

        init(parent: Group?) { self.parent = parent }
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var open: Group?
    private var disabled = 0
    /// The context whose changes are recorded; it processes what is pending before a group ends or is undone.
    weak var client: NSManagedObjectContext?

    /// Whether an undo is under way.
    open private(set) var isUndoing = false
    /// Whether a redo is under way.
    open private(set) var isRedoing = false
    /// Whether what is registered between two turns of the main queue is one group. Without a run loop each
    /// registration outside of a group is a group of its own.
    open var groupsByEvent = true
    /// The most groups that are kept, 0 for no bound.
    open var levelsOfUndo = 0 { didSet { trim() } }

    /// Makes an empty stack.
    public override init() { super.init() }

    /// How deep groups are nested at the moment.
    open var groupingLevel: Int {
        var level = 0
        var group = open
        while let current = group {
            level += 1
            group = current.parent
        }
        return level
    }
    /// Whether there is something to undo.
    open var canUndo: Bool {
        client?.processPendingChanges()
        return !undoStack.isEmpty || !(open?.actions.isEmpty ?? true)
    }
    /// Whether there is something to redo.
    open var canRedo: Bool { !redoStack.isEmpty }
    /// Whether changes are registered.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Starts a group: what is registered until its end is undone together.
    open func beginUndoGrouping() {
        if !isUndoing, !isRedoing { client?.processPendingChanges() }
        open = Group(parent: open)
    }

    /// Ends a group.
    open func endUndoGrouping() {
        client?.processPendingChanges()
        guard let group = open else { return }
        open = group.parent
        guard !group.actions.isEmpty else { return }
        if let parent = group.parent {
            // Taken back as a whole, the latest first.
            let actions = group.actions
            parent.actions.append { for action in actions.reversed() { action() } }
        } else {
            push(group)
        }
    }

    /// Registers how to take a change back.
    ///
    /// The target is not kept alive; a change whose target is gone is not taken back.
    open func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void)
    {
        guard isUndoRegistrationEnabled else { return }
        let action: () -> Void = { [weak target] in if let target { handler(target) } }
        if let open {
            open.actions.append(action)
        } else {
            let group = Group(parent: nil)
            group.actions.append(action)
            push(group)
        }
    }

    private func push(_ group: Group) {
        if isUndoing {
            redoStack.append(group)
        } else {
            undoStack.append(group)
            if !isRedoing { redoStack = [] }
            trim()
        }
    }

    private func trim() {
        guard levelsOfUndo > 0, undoStack.count > levelsOfUndo else { return }
        undoStack.removeFirst(undoStack.count - levelsOfUndo)
    }

    /// Takes the last group back, ending groups that are open.
    open func undo() {
        client?.processPendingChanges()
        while open != nil { endUndoGrouping() }
        undoNestedGroup()
    }

    /// Takes the last ended group back.
    open func undoNestedGroup() {
        guard !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
        isUndoing = true
        run(group)
        isUndoing = false
    }

    /// Does again what was undone last.
    open func redo() {
        client?.processPendingChanges()
        guard !isUndoing, !isRedoing, let group = redoStack.popLast() else { return }
        isRedoing = true
        run(group)
        isRedoing = false
    }

    /// Runs a group; what that registers is one group on the other stack.
    private func run(_ group: Group) {
        beginUndoGrouping()
        open?.name = group.name
        for action in group.actions.reversed() { action() }
        endUndoGrouping()
    }

    /// Stops registering, until ``enableUndoRegistration()`` was called as often.
    open func disableUndoRegistration() { disabled += 1 }

    /// Takes one ``disableUndoRegistration()`` back.
    open func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Forgets everything.
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        open = nil
    }

    /// Names the last group, for a menu.
    open func setActionName(_ name: String) { (open ?? undoStack.last)?.name = name }
    /// The name of what would be undone.
    open var undoActionName: String { undoStack.last?.name ?? "" }
    /// The name of what would be redone.
    open var redoActionName: String { redoStack.last?.name ?? "" }
}
