//! Objects and their past, as etcd and the API server keep them: one resourceVersion counter, watches, reads of an older state.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::resources::Resource;
use super::status::Failure;

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub resource: &'static Resource,
    /// `None` for objects of the cluster.
    pub namespace: Option<String>,
    pub name: String,
}

/// Who writes, when, and what.
#[derive(Debug, Clone)]
pub struct Write<'a> {
    pub now: DateTime<Utc>,
    /// The field manager.
    pub manager: &'a str,
    /// `status`, `scale`: only that part is written.
    pub subresource: Option<&'static str>,
    /// All is done but the storing.
    pub dry_run: bool,
}

impl<'a> Write<'a> {
    pub fn by(manager: &'a str, now: DateTime<Utc>) -> Self {
        Self {
            now,
            manager,
            subresource: None,
            dry_run: false,
        }
    }

    #[must_use]
    pub fn status(mut self) -> Self {
        self.subresource = Some("status");
        self
    }
}

/// What a delete may demand.
#[derive(Debug, Clone, Default)]
pub struct Deletion {
    /// Seconds that a pod gets to stop; unset is what the pod says.
    pub grace: Option<i64>,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

/// One change: what an object was, and what it became.
#[derive(Debug, Clone)]
pub struct Record {
    pub version: u64,
    pub at: DateTime<Utc>,
    pub key: Key,
    pub before: Option<Arc<Value>>,
    /// `None`: it was removed. `before` then is its last state.
    pub after: Option<Arc<Value>>,
}

/// All objects, now and within the compaction window.
#[derive(Debug)]
pub struct Store {
    version: u64,
    objects: BTreeMap<Key, Arc<Value>>,
    log: VecDeque<Record>,
    /// Of what was before this version nothing is known.
    compacted: u64,
    window: TimeDelta,
}

impl Store {
    /// An empty one that forgets what is older than the window.
    pub fn new(window: TimeDelta) -> Self {
        Self {
            version: 0,
            objects: BTreeMap::new(),
            log: VecDeque::new(),
            compacted: 0,
            window,
        }
    }

    /// The resourceVersion of the last write.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    pub fn get(&self, key: &Key) -> Option<&Arc<Value>> {
        self.objects.get(key)
    }

    /// All of a resource, by namespace and name.
    pub fn list<'a>(
        &'a self,
        resource: &'static Resource,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a Key, &'a Arc<Value>)> + use<'a> {
        let first = Key {
            resource,
            namespace: namespace.map(str::to_owned),
            name: String::new(),
        };
        self.objects.range(first..).take_while(move |(key, _)| {
            key.resource == resource
                && (namespace.is_none() || key.namespace.as_deref() == namespace)
        })
    }

    /// What changed after a version; `None` where that is forgotten.
    pub fn since(&self, version: u64) -> Option<impl Iterator<Item = &Record>> {
        (version >= self.compacted).then(|| {
            self.log
                .iter()
                .skip_while(move |record| record.version <= version)
        })
    }

    /// Forgets what is older than the window, as the compaction of etcd does.
    pub fn compact(&mut self, now: DateTime<Utc>) {
        while let Some(oldest) = self.log.front()
            && now - oldest.at > self.window
        {
            self.compacted = oldest.version;
            self.log.pop_front();
        }
    }

    /// Stores a new object: the API server's defaults, uid, creationTimestamp, resourceVersion, managedFields.
    pub fn create(
        &mut self,
        key: &Key,
        object: Value,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        if self.objects.contains_key(key) {
            return Err(Failure::already_exists(key));
        }
        Ok(self.put(key, None, object, write))
    }

    /// Puts an object in the place of the one that is there. One that names a resourceVersion must name the live one.
    pub fn update(
        &mut self,
        key: &Key,
        object: Value,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let before = self
            .objects
            .get(key)
            .cloned()
            .ok_or_else(|| Failure::not_found(key))?;
        Ok(self.put(key, Some(before), object, write))
    }

    /// Removes an object; a pod on a node is marked, and is removed when its kubelet says so (with a grace of 0).
    pub fn delete(
        &mut self,
        key: &Key,
        _how: &Deletion,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let before = self
            .objects
            .remove(key)
            .ok_or_else(|| Failure::not_found(key))?;
        self.version += 1;
        self.log.push_back(Record {
            version: self.version,
            at: write.now,
            key: key.clone(),
            before: Some(Arc::clone(&before)),
            after: None,
        });
        Ok(before)
    }

    fn put(
        &mut self,
        key: &Key,
        before: Option<Arc<Value>>,
        mut object: Value,
        write: &Write<'_>,
    ) -> Arc<Value> {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let object = Arc::new(object);
        self.log.push_back(Record {
            version: self.version,
            at: write.now,
            key: key.clone(),
            before,
            after: Some(Arc::clone(&object)),
        });
        self.objects.insert(key.clone(), Arc::clone(&object));
        object
    }
}
