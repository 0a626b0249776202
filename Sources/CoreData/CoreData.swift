@_exported import StratusCoreData
