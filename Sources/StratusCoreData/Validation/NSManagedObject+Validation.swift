extension NSManagedObject {
    /// Validates every property that the model restricts, then lets the class's own rules speak.
    func validateProperties() throws {
        var errors: [any Error] = []
        let cell = ValidationCell(slot: 0) { [unowned self] slot in
            ValidationCell.boxed(currentAttribute(slot).anyValue(of: layout.attributeDescriptions[slot]))
        }
        for slot in 0..<layout.fetched.lowerBound {
            do { try validate(slot, cell) } catch { errors.append(error) }
        }
        if let error = ValidationErrors.combined(errors) { throw error }
    }

    private func validate(_ slot: Int, _ cell: ValidationCell) throws {
        guard layout.isAttribute(slot) else {
            // An unread to-many without bounds cannot be wrong, and need not be read.
            if layout.toManys.contains(slot), !changedSlots.contains(slot), !isInserted { return }
            return try checkRelationship(slot)
        }
        cell.move(to: slot)
        try validateValue(AutoreleasingUnsafeMutablePointer(cell: cell), forKey: layout.properties[slot].name)
        if cell.isReplaced { setAnyValue(cell.object, slot) }
    }

    /// Checks a value by the model's rules.
    func checkRules(of cell: ValidationCell, forKey key: String) throws {
        // The key is nearly always the cell's own, which saves looking it up.
        let isOwn = !cell.isForeign && layout.properties[cell.slot].name == key
        guard let slot = isOwn ? cell.slot : layout.slots[key] else { return }
        guard let attribute = layout.attributeDescriptions[slot] else { return try checkRelationship(slot) }
        if cell.isReplaced || cell.isForeign {
            guard let value = PropertyValue(cell.object, for: attribute) else {
                throw ValidationErrors.error(
                    1550, "\(cell.object.map { "\($0)" } ?? "nil") is not a value for \(describe(key)).",
                    self,
                    key, cell.object)
            }
            return try attribute.check(value, in: self)
        }
        try attribute.check(currentAttribute(slot), in: self)
    }

    private func checkRelationship(_ slot: Int) throws {
        guard let relationship = layout.relationshipDescriptions[slot] else { return }
        let key = relationship.name
        guard relationship.isToMany else {
            if !relationship.isOptional, toOneID(slot) == nil || toOne(slot)?.isDeleted == true {
                throw ValidationErrors.error(1570, "\(describe(key)) is a required value.", self, key, nil)
            }
            return
        }
        // A to-many relationship always has a value, an empty set; only its bounds say how many are needed.
        guard relationship.minCount > 0 || relationship.maxCount > 0 else { return }
        let count = toMany(slot).count
        if count == 0, relationship.isOptional { return }
        let least = relationship.minCount
        if count < least {
            throw ValidationErrors.error(
                1580, "\(describe(key)) has \(count) objects, and needs \(least).", self, key,
                anyValue(of: slot))
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            throw ValidationErrors.error(
                1590, "\(describe(key)) has \(count) objects, and may have \(relationship.maxCount).", self,
                key,
                anyValue(of: slot))
        }
    }

    /// Whether no relationship denies the delete.
    func validateDeleteRules() throws {
        var errors: [any Error] = []
        for slot in layout.toOnes.lowerBound..<layout.toManys.upperBound {
            guard let relationship = layout.relationshipDescriptions[slot],
                relationship.deleteRule == .denyDeleteRule
            else { continue }
            var others: [NSManagedObject] = []
            let error = managedObjectContext?.errorOfReading {
                others = relationship.isToMany ? toMany(slot).objects : toOne(slot).map { [$0] } ?? []
            }
            if let error { errors.append(error) }
            guard others.contains(where: { !$0.isDeleted }) else { continue }
            errors.append(
                ValidationErrors.error(
                    1600,
                    "\(describe(relationship.name)) still leads to objects, so this one may not be deleted.",
                    self, relationship.name, anyValue(of: slot)))
        }
        if let error = ValidationErrors.combined(errors) { throw error }
    }

    /// A property's name in the model's language, as validation errors begin with it. The keys are Apple's:
    /// <https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/localizationdictionary>.
    func describe(_ key: String) -> String {
        guard let names = entity.managedObjectModel?.localizationDictionary else { return key }
        return names["Property/\(key)/Entity/\(entity.name ?? "")"] ?? names["Property/\(key)"] ?? key
    }

    /// The text of a validation warning in the model's language.
    func describe(warning: String) -> String {
        entity.managedObjectModel?.localizationDictionary?["ErrorString/\(warning)"] ?? warning
    }
}

extension NSAttributeDescription {
    /// Checks a value by the attribute's rules.
    func check(_ value: PropertyValue, in object: NSManagedObject) throws {
        if value.isNull {
            // A derived value is the store's concern.
            guard !isOptional, !(self is NSDerivedAttributeDescription) else { return }
            throw ValidationErrors.error(
                1570, "\(object.describe(name)) is a required value.", object, name, nil)
        }
        if case .int(let number) = value, !PropertyValue.range(of: attributeType).contains(number) {
            throw ValidationErrors.error(
                number > 0 ? 1610 : 1620,
                "\(object.describe(name)) is \(number), which the attribute's type cannot hold.", object,
                name,
                value.anyValue(of: self))
        }
        guard hasRules else { return }
        try checkBounds(value, in: object)
        for (place, predicate) in furtherPredicates.enumerated() {
            let any = value.anyValue(of: self)
            let tree = try? PredicateTree(predicate)
            let holds = tree.map { (try? $0.evaluate(on: any)) ?? false } ?? predicate.evaluate(with: any)
            guard !holds else { continue }
            // A warning is the error's message, or its code.
            let warning = furtherWarnings.indices.contains(place) ? "\(furtherWarnings[place])" : nil
            let code = warning.flatMap { Int($0) }
            let message = code == nil ? warning.map(object.describe(warning:)) : nil
            throw ValidationErrors.error(
                code ?? 1550,
                message
                    ?? "\(object.describe(name)) is not valid: \(tree?.description ?? "a predicate does not hold").",
                object, name, any, predicate: predicate)
        }
    }

    private var hasRules: Bool { !furtherPredicates.isEmpty || bounds.isSet }

    private func checkBounds(_ value: PropertyValue, in object: NSManagedObject) throws {
        guard bounds.isSet else { return }
        func fail(_ code: Int, _ text: String) -> CocoaError {
            ValidationErrors.error(
                code, "\(object.describe(name)) is \(text).", object, name, value.anyValue(of: self),
                predicate: boundRules.first { $0.code == code }?.predicate)
        }
        if case .string(let text) = value {
            let length = text.utf16.count
            if let least = bounds.minimumLength, length < least {
                throw fail(1670, "too short, of at least \(least)")
            }
            if let most = bounds.maximumLength, length > most {
                throw fail(1660, "too long, of at most \(most)")
            }
            if let pattern = bounds.pattern,
                (try? PredicateTree.compare(.selfObject, .matches, .constant(.string(pattern))).evaluate(
                    on: text)) != true
            {
                throw fail(1680, "no match for the pattern \(pattern)")
            }
            return
        }
        guard let number = value.decimal else { return }
        let isDate = attributeType == .dateAttributeType
        if let least = bounds.minimum, number < least {
            throw fail(isDate ? 1640 : 1620, "less than \(least)")
        }
        if let most = bounds.maximum, number > most { throw fail(isDate ? 1630 : 1610, "more than \(most)") }
    }
}

extension AttributeBounds {
    var isSet: Bool {
        minimum != nil || maximum != nil || minimumLength != nil || maximumLength != nil || pattern != nil
    }
}

extension PropertyValue {
    /// The value as a decimal number, a date in seconds since 2001.
    fileprivate var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .double(let value): Decimal(value)
        case .decimal(let value): value
        case .date(let value): Decimal(value.timeIntervalSinceReferenceDate)
        default: nil
        }
    }
}

extension NSManagedObject {
    /// Whether a value may be set for a key, without setting it.
    ///
    /// - Throws: `CocoaError` with codes 1550 to 1690.
    public func validate(_ value: Any?, forKey key: String) throws {
        let cell = ValidationCell(slot: 0) { _ in ValidationCell.boxed(value) }
        cell.isForeign = true
        try validateValue(AutoreleasingUnsafeMutablePointer(cell: cell), forKey: key)
    }
}
