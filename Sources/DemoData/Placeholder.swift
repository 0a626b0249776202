public enum DemoDataPlaceholder {}
