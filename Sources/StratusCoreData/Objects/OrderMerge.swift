/// Puts two changes of one ordered list together, so that neither side loses what it added.
enum OrderMerge {
    /// What either side added is in the result and what either took away is not. Whoever moved members decides their
    /// order, ours where both did. An addition stands behind what it stood behind at its own side.
    ///
    /// Two contexts that both add to `[a]`, one `b` and the other `c`, give `[a, b, c]`.
    ///
    /// - Parameters:
    ///   - base: the list that both sides began with. No list holds a member twice.
    static func merged<Member: Hashable>(base: [Member], ours: [Member], theirs: [Member]) -> [Member] {
        let (old, own, other) = (Set(base), Set(ours), Set(theirs))
        let kept = base.filter { own.contains($0) && other.contains($0) }
        let isMovedByUs = ours.filter { old.contains($0) && other.contains($0) } != kept
        let (leading, following) = isMovedByUs ? (ours, theirs) : (theirs, ours)
        let followers = isMovedByUs ? other : own
        let start = leading.filter { !old.contains($0) || followers.contains($0) }
        let known = Set(start)
        var first: [Member] = []
        var behind: [Member: [Member]] = [:]
        var anchor: Member?
        for member in following {
            if known.contains(member) {
                anchor = member
            } else if !old.contains(member) {
                if let anchor { behind[anchor, default: []].append(member) } else { first.append(member) }
            }
        }
        return first + start.flatMap { [$0] + (behind[$0] ?? []) }
    }
}
