extension SizedTree {
    /// Puts an element before the one at an index, or at the end.
    @inlinable
    mutating func insert(_ element: Element, at index: Int) {
        guard let sibling = root.insert(element, at: index) else { return }
        root = Node(children: [root, sibling])
    }

    /// Puts an element in the place of the one at an index.
    @inlinable
    mutating func replace(at index: Int, with element: Element) { root.replace(at: index, with: element) }

    /// Takes the element at an index out.
    @discardableResult
    @inlinable
    mutating func remove(at index: Int) -> Element {
        let element = root.remove(at: index)
        if root.children.count == 1 { root = root.children[0] }
        return element
    }
}

extension SizedTree.Node {
    /// Returns the right half when the node became too wide.
    @inlinable
    mutating func insert(_ element: Element, at index: Int) -> Self? {
        count += 1
        if isLeaf {
            elements.insert(element, at: index)
        } else {
            var child = 0
            var rest = index
            while rest > children[child].count {
                rest -= children[child].count
                child += 1
            }
            if let sibling = children[child].insert(element, at: rest) {
                children.insert(sibling, at: child + 1)
            }
        }
        return width > SizedTree.maximumWidth ? split() : nil
    }

    @inlinable
    mutating func replace(at index: Int, with element: Element) {
        guard !isLeaf else {
            elements[index] = element
            return
        }
        var child = 0
        var rest = index
        while rest >= children[child].count {
            rest -= children[child].count
            child += 1
        }
        children[child].replace(at: rest, with: element)
    }

    @inlinable
    mutating func remove(at index: Int) -> Element {
        count -= 1
        if isLeaf { return elements.remove(at: index) }
        var child = 0
        var rest = index
        while rest >= children[child].count {
            rest -= children[child].count
            child += 1
        }
        let element = children[child].remove(at: rest)
        if children[child].width < SizedTree.minimumWidth, children.count > 1 { join(child) }
        return element
    }

    /// Keeps the left half and returns the right one.
    @inlinable
    mutating func split() -> Self {
        let middle = width / 2
        let right: Self
        if isLeaf {
            right = Self(elements: Array(elements[middle...]))
            elements.removeSubrange(middle...)
        } else {
            right = Self(children: Array(children[middle...]))
            children.removeSubrange(middle...)
        }
        count -= right.count
        return right
    }

    /// Joins a narrow child with a neighbour, and cuts the two in halves again when they are too wide for one.
    @inlinable
    mutating func join(_ child: Int) {
        let left = child > 0 ? child - 1 : 0
        let right = children.remove(at: left + 1)
        children[left].elements += right.elements
        children[left].children += right.children
        children[left].count += right.count
        if children[left].width > SizedTree.maximumWidth {
            let half = children[left].split()
            children.insert(half, at: left + 1)
        }
    }
}
