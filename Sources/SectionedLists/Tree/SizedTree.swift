/// A sequence that is read and edited at any index in logarithmic time, and whose copies share what is equal.
///
/// It is a B+ tree of plain arrays. An edit of the only copy is made in place; when there is another copy, the edit
/// copies the arrays on the way from the root to the leaf and shares the rest. The tree knows positions, not an
/// order: `partitionPoint` searches it when the caller knows that it is ordered.
@usableFromInline struct SizedTree<Element: Sendable>: Sendable {
    /// A leaf has elements, an inner node children; all leaves are equally deep.
    @usableFromInline struct Node: Sendable {
        /// How many elements are in this node and below it.
        @usableFromInline var count: Int
        @usableFromInline var elements: [Element]
        @usableFromInline var children: [Node]

        @inlinable
        init(elements: [Element]) {
            count = elements.count
            self.elements = elements
            children = []
        }

        @inlinable
        init(children: [Node]) {
            count = children.reduce(0) { $0 + $1.count }
            elements = []
            self.children = children
        }

        @inlinable var isLeaf: Bool { children.isEmpty }
        /// What the limits of a node's size apply to.
        @inlinable var width: Int { isLeaf ? elements.count : children.count }
    }

    /// The most elements of a leaf, and the most children of an inner node.
    @inlinable static var maximumWidth: Int { 64 }
    /// A node below this is joined with a neighbour. Far below half, so that edits in turn do not split and join.
    @inlinable static var minimumWidth: Int { 16 }

    @usableFromInline var root: Node

    /// The empty sequence.
    @inlinable
    init() { root = Node(elements: []) }

    /// The elements of an array, in linear time.
    @inlinable
    init(_ elements: [Element]) {
        guard elements.count > Self.maximumWidth else {
            root = Node(elements: elements)
            return
        }
        var level = Self.evenly(elements.count).map { Node(elements: Array(elements[$0])) }
        while level.count > 1 {
            level = Self.evenly(level.count).map { Node(children: Array(level[$0])) }
        }
        root = level[0]
    }

    /// Cuts a length into ranges of about three quarters of a node, none of them below the minimum unless alone.
    @inlinable
    static func evenly(_ length: Int) -> [Range<Int>] {
        let full = maximumWidth * 3 / 4
        let parts = (length + full - 1) / full
        return (0..<parts).map { length * $0 / parts..<length * ($0 + 1) / parts }
    }

    @inlinable var count: Int { root.count }
    @inlinable var isEmpty: Bool { root.count == 0 }
    @inlinable var first: Element? { root.first }

    /// Whether both are copies of which neither was edited since. A false answer says nothing about the elements.
    @inlinable
    func isShared(with other: SizedTree) -> Bool {
        func same<Value>(_ one: [Value], _ two: [Value]) -> Bool {
            one.count == two.count
                && one.withUnsafeBufferPointer { a in
                    two.withUnsafeBufferPointer { a.baseAddress == $0.baseAddress }
                }
        }
        return root.count == other.root.count && same(root.elements, other.root.elements)
            && same(root.children, other.root.children)
    }
}

extension SizedTree.Node {
    @inlinable var first: Element? { isLeaf ? elements.first : children.first?.first }
}

extension SizedTree {
    /// The element at an index, which must be one of the sequence's.
    @inlinable
    subscript(index: Int) -> Element {
        var node = root
        var rest = index
        while !node.isLeaf {
            var child = 0
            while rest >= node.children[child].count {
                rest -= node.children[child].count
                child += 1
            }
            node = node.children[child]
        }
        return node.elements[rest]
    }

    /// The number of elements before the first for which the test is false.
    ///
    /// The test must be true of a beginning of the sequence and false of the rest. If it is not so, the answer is
    /// some index from 0 through `count`.
    @inlinable
    func partitionPoint(where isBefore: (Element) -> Bool) -> Int {
        var node = root
        var passed = 0
        while !node.isLeaf {
            // The last child whose first element is before; the first child when none is.
            var low = 1
            var high = node.children.count
            while low < high {
                let middle = (low + high) / 2
                if let first = node.children[middle].first, isBefore(first) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            for child in 0..<low - 1 { passed += node.children[child].count }
            node = node.children[low - 1]
        }
        var low = 0
        var high = node.elements.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(node.elements[middle]) { low = middle + 1 } else { high = middle }
        }
        return passed + low
    }

    /// Calls the body with each run of elements that lie together, from first to last.
    @inlinable
    func forEachRun(_ body: ([Element]) -> Void) { Self.visit(root, body) }

    @inlinable
    static func visit(_ node: Node, _ body: ([Element]) -> Void) {
        if node.isLeaf { return body(node.elements) }
        for child in node.children { visit(child, body) }
    }

    /// All elements in an array.
    @inlinable var elements: [Element] {
        var result: [Element] = []
        result.reserveCapacity(count)
        forEachRun { result += $0 }
        return result
    }
}
