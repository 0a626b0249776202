import SectionedLists

// Announcing changes: to readers of sequences, and to the delegate in the one way that it uses.

extension ResultsCore {
    /// Shows a list and reports how it differs from the one that was shown.
    func deliver(_ changes: ObjectListChanges, _ new: ObjectListSnapshot) {
        let steps = outbox
        outbox = []
        defer { for step in steps { streams.send(FetchedResultsSnapshot(step.snapshot, step.changes)) } }
        let old = shown
        shown = new
        guard !changes.isEmpty, let delegate, let view = owner?.delegateView else { return }
        if delegateStyle == nil || delegateStyle == .snapshots {
            if sendSnapshot(changes, to: delegate, view) { return }
            delegateStyle = sectionKeyPath == nil ? .differences : .calls
        }
        if delegateStyle == .differences {
            if sendDifference(changes, to: delegate, view) { return }
            delegateStyle = .calls
        }
        sendCalls(changes, from: old, to: new, delegate, view)
    }

    /// Sends what happened to the list of IDs alone: objects got their permanent IDs.
    func sendOutbox() {
        let steps = outbox
        outbox = []
        guard let last = steps.last else { return }
        if let delegate, let view = owner?.delegateView {
            switch delegateStyle {
            case .snapshots:
                delegate.controller(
                    view,
                    didChangeContentWith: NSDiffableDataSourceSnapshotReference(reloaded: []) {
                        last.snapshot
                    })
            case .differences:
                for step in steps {
                    guard let difference = step.changes.collectionDifference() else { continue }
                    delegate.controller(view, didChangeContentWith: difference)
                }
            default: break
            }
        }
        for step in steps { streams.send(FetchedResultsSnapshot(step.snapshot, step.changes)) }
    }

    // MARK: The ways of listening

    /// - Returns: whether the delegate takes snapshots.
    private func sendSnapshot(
        _ changes: ObjectListChanges, to delegate: any NSFetchedResultsControllerDelegate,
        _ view: NSFetchedResultsController<any NSFetchRequestResult>
    ) -> Bool {
        let reloaded = changes.itemsToReload.map(\.object.objectID)
        let objects = shown
        let mirrored = mirror?.snapshot
        let snapshot = NSDiffableDataSourceSnapshotReference(reloaded: reloaded) {
            mirrored ?? objects.mapItems(\.object.objectID)
        }
        metDefaultBody = false
        delegate.controller(view, didChangeContentWith: snapshot)
        guard !metDefaultBody else { return false }
        delegateStyle = .snapshots
        snapshot.load()
        startMirror()
        return true
    }

    /// - Returns: whether the delegate takes differences.
    private func sendDifference(
        _ changes: ObjectListChanges, to delegate: any NSFetchedResultsControllerDelegate,
        _ view: NSFetchedResultsController<any NSFetchRequestResult>
    ) -> Bool {
        let named = changes.mapItems(\.object.objectID)
        guard let difference = named.collectionDifference(includingUpdates: true) else { return false }
        metDefaultBody = false
        delegate.controller(view, didChangeContentWith: difference)
        guard !metDefaultBody else { return false }
        startMirror()
        return true
    }

    private func sendCalls(
        _ changes: ObjectListChanges, from old: ObjectListSnapshot, to new: ObjectListSnapshot,
        _ delegate: any NSFetchedResultsControllerDelegate,
        _ view: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        let changes = movesAcrossChangedSections ? changes.asDocumentedByApple : changes
        let fetch = fetches
        shown = old
        isShowingOld = true
        delegate.controllerWillChangeContent(view)
        // A delegate that fetches now has the newest list already.
        if fetch == fetches {
            isShowingOld = false
            shown = new
        }
        for change in changes.sectionDeletes {
            guard let section = old.section(at: change.index) else { continue }
            delegate.controller(
                view, didChange: info(section, isGone: true), atSectionIndex: change.index, for: .delete)
        }
        for change in changes.sectionInserts {
            guard let section = new.section(at: change.index) else { continue }
            delegate.controller(view, didChange: info(section), atSectionIndex: change.index, for: .insert)
        }
        func call(
            _ item: ListedObject, _ old: ListPosition?, _ type: NSFetchedResultsChangeType,
            _ new: ListPosition?
        ) {
            delegate.controller(
                view, didChange: item.object, at: old.map { IndexPath($0) }, for: type,
                newIndexPath: new.map { IndexPath($0) })
        }
        for change in changes.deletes { call(change.item, change.position, .delete, nil) }
        for change in changes.inserts { call(change.item, nil, .insert, change.position) }
        for change in changes.moves { call(change.item, change.old, .move, change.new) }
        for change in changes.updates { call(change.item, change.old, .update, change.new) }
        delegate.controllerDidChangeContent(view)
    }
}

extension SectionedSnapshot {
    /// The same sections with other items.
    func mapItems<Other>(_ other: (Item) -> Other) -> SectionedSnapshot<Other> {
        SectionedSnapshot<Other>(sections: sections.map { ($0.name, $0.items.map(other)) })
    }
}
