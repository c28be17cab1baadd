//! The names that our own packages export: what lets a forgotten import be supplied and a wrong one be put right.

use std::collections::HashMap;

/// Exported names by specifier, in the order in which specifiers are preferred when several export the same name.
#[derive(Clone, Debug, Default)]
pub struct KitNames {
    modules: Vec<(String, Vec<String>)>,
    first: HashMap<String, usize>,
}

impl KitNames {
    /// Names by specifier; an earlier specifier wins where two export the same name.
    pub fn new<S, N>(modules: impl IntoIterator<Item = (S, N)>) -> Self
    where
        S: Into<String>,
        N: IntoIterator,
        N::Item: Into<String>,
    {
        let modules: Vec<(String, Vec<String>)> = modules
            .into_iter()
            .map(|(specifier, names)| (specifier.into(), names.into_iter().map(Into::into).collect()))
            .collect();
        let mut first = HashMap::new();
        for (at, (_, names)) in modules.iter().enumerate() {
            for name in names {
                first.entry(name.clone()).or_insert(at);
            }
        }
        Self { modules, first }
    }

    /// The preferred specifier that exports `name`.
    pub fn find(&self, name: &str) -> Option<&str> {
        self.first.get(name).map(|at| self.modules[*at].0.as_str())
    }

    /// The names that `specifier` exports, when it is one of ours.
    pub fn exports(&self, specifier: &str) -> Option<&[String]> {
        self.modules.iter().find(|(own, _)| own == specifier).map(|(_, names)| names.as_slice())
    }

    /// Every name, for nearest-name hints.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().flat_map(|(_, names)| names.iter().map(String::as_str))
    }

    /// Every specifier.
    pub fn specifiers(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|(specifier, _)| specifier.as_str())
    }
}

/// What `react` exports and models use: supplied when a module forgets to import it.
pub(crate) const REACT: &[&str] = &[
    "Activity",
    "Children",
    "Component",
    "Fragment",
    "Profiler",
    "PureComponent",
    "StrictMode",
    "Suspense",
    "act",
    "cache",
    "cloneElement",
    "createContext",
    "createElement",
    "createRef",
    "forwardRef",
    "isValidElement",
    "lazy",
    "memo",
    "startTransition",
    "use",
    "useActionState",
    "useCallback",
    "useContext",
    "useDebugValue",
    "useDeferredValue",
    "useEffect",
    "useEffectEvent",
    "useId",
    "useImperativeHandle",
    "useInsertionEffect",
    "useLayoutEffect",
    "useMemo",
    "useOptimistic",
    "useReducer",
    "useRef",
    "useState",
    "useSyncExternalStore",
    "useTransition",
    "version",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_specifier_wins() {
        let kit = KitNames::new([("$ui4a/ui", vec!["Button"]), ("$macaron/ui", vec!["Button", "Tilt"])]);
        assert_eq!(kit.find("Button"), Some("$ui4a/ui"));
        assert_eq!(kit.find("Tilt"), Some("$macaron/ui"));
        assert_eq!(kit.find("Nothing"), None);
        assert_eq!(kit.exports("$macaron/ui").map(<[String]>::len), Some(2));
    }
}
