//! Objects and their past, as etcd and the API server keep them: one resourceVersion counter, watches, reads of an older state.

//!
//! - `defaults` and `validate` are what it does to a new object before it takes it, `deletion` what it demands of a delete.
//! - `managed` keeps managedFields, by `compare`, `fields`, `schema` and `skeleton`.

pub(crate) mod compare;
mod defaults;
mod deletion;
pub(crate) mod fields;
pub(crate) mod managed;
mod meta;
pub(crate) mod schema;
mod skeleton;
pub(crate) mod validate;

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
    /// `status`: only that part is written. `binding`: what the scheduler says of a pod, which no manager owns. `scale`, `finalize`:
    /// the main part, noted as written through them.
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
    /// So many names and uids were given out.
    given: u64,
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
            given: 0,
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
        let first = self.log.partition_point(|record| record.version <= version);
        (version >= self.compacted).then(|| self.log.range(first..))
    }

    /// All of a resource as it was at a version; `None` where that is forgotten.
    pub fn list_at(
        &self,
        resource: &'static Resource,
        namespace: Option<&str>,
        version: u64,
    ) -> Option<BTreeMap<Key, Arc<Value>>> {
        let now = self.list(resource, namespace);
        let mut then: BTreeMap<Key, Arc<Value>> = now
            .map(|(key, object)| (key.clone(), Arc::clone(object)))
            .collect();
        if version == self.version {
            return Some(then);
        }
        let later: Vec<&Record> = self.since(version)?.collect();
        for record in later.into_iter().rev() {
            let key = &record.key;
            if key.resource != resource
                || (namespace.is_some() && key.namespace.as_deref() != namespace)
            {
                continue;
            }
            match &record.before {
                Some(before) => then.insert(key.clone(), Arc::clone(before)),
                None => then.remove(key),
            };
        }
        Some(then)
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

    /// Stores a new object: the API server's defaults, uid, creationTimestamp, resourceVersion, managedFields. A key without a name
    /// gets one by the object's generateName.
    pub fn create(
        &mut self,
        key: &Key,
        object: Value,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        self.create_owned(key, object, None, write)
    }

    /// The same of an apply, of which a manager owns the fields that it said.
    pub(crate) fn create_applied(
        &mut self,
        key: &Key,
        object: Value,
        entry: managed::Entry,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        self.create_owned(key, object, Some(entry), write)
    }

    fn create_owned(
        &mut self,
        key: &Key,
        object: Value,
        applied: Option<managed::Entry>,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let mut object = meta::cleaned(object);
        let key = self.named(key, &object)?;
        self.namespace_is_open(&key)?;
        meta::begin(&key, &mut object, write.now, &self.uid(&key));
        defaults::on_create(&key, &mut object);

        validate::create(&key, &object)?;
        if self.objects.contains_key(&key) {
            return Err(Failure::already_exists(&key));
        }
        match applied {
            Some(entry) => managed::keep(&mut object, vec![entry]),
            None => managed::update(key.resource, None, &mut object, write),
        }
        defaults::admit(&key, &mut object, |salt| self.cluster_ip(salt));

        if write.dry_run {
            return Ok(Arc::new(object));
        }
        self.given += 1;
        Ok(self.put(&key, None, object, write))
    }

    /// Puts an object in the place of the one that is there. One that names a resourceVersion must name the live one.
    pub fn update(
        &mut self,
        key: &Key,
        object: Value,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let before = self.live(key)?;
        let object = self.changed(key, &before, object, write)?;
        if meta::same(&before, &object) && !managed::says_others(&before, &object) {
            return Ok(before);
        }
        let mut object = object;

        if write.subresource != Some("binding") {
            managed::update(key.resource, Some(&before), &mut object, write);
        }
        Ok(self.replace(key, before, object, write))
    }

    /// The same with managedFields as the object has them: of an apply.
    pub(crate) fn update_managed(
        &mut self,
        key: &Key,
        object: Value,
        entries: Vec<managed::Entry>,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let before = self.live(key)?;
        let mut object = self.changed(key, &before, object, write)?;
        managed::keep(&mut object, entries);
        let content = meta::same(&before, &object);
        if content && managed::same_fields(&before, &object) {
            return Ok(before);
        }
        Ok(self.replace(key, before, object, write))
    }

    fn live(&self, key: &Key) -> Result<Arc<Value>, Failure> {
        let live = self.objects.get(key).cloned();
        live.ok_or_else(|| Failure::not_found(key))
    }

    /// What becomes of an object by an update, managedFields aside.
    fn changed(
        &self,
        key: &Key,
        before: &Value,
        object: Value,
        write: &Write<'_>,
    ) -> Result<Value, Failure> {
        let mut object = meta::cleaned(object);
        meta::preconditions(key, before, &object)?;
        meta::carry_over(key, before, &mut object, write.subresource);
        defaults::on_update(key, before, &mut object);
        meta::count_generation(key, before, &mut object, write.subresource);
        validate::update(key, before, &object, write.subresource)?;
        Ok(object)
    }

    /// Stores a changed object, or removes it where only a finalizer held it.
    fn replace(
        &mut self,
        key: &Key,
        before: Arc<Value>,
        object: Value,
        write: &Write<'_>,
    ) -> Arc<Value> {
        if write.dry_run {
            return Arc::new(object);
        }
        if deletion::is_over(key, &object) {
            return self.remove(key, Arc::new(object), write);
        }
        self.put(key, Some(before), object, write)
    }

    /// Removes an object; a pod on a node is marked, and is removed when its kubelet says so (with a grace of 0). A namespace is
    /// marked, and is removed when an update leaves its `spec.finalizers` empty.
    pub fn delete(
        &mut self,
        key: &Key,
        how: &Deletion,
        write: &Write<'_>,
    ) -> Result<Arc<Value>, Failure> {
        let before = self.live(key)?;
        deletion::preconditions(key, &before, how)?;
        match deletion::outcome(key, &before, how, write.now)? {
            deletion::Outcome::Gone => {
                if !write.dry_run {
                    return Ok(self.remove(key, before, write));
                }
                Ok(before)
            }
            deletion::Outcome::Marked(marked) if meta::same(&before, &marked) => Ok(before),
            deletion::Outcome::Marked(marked) if write.dry_run => Ok(Arc::new(marked)),
            deletion::Outcome::Marked(marked) => Ok(self.put(key, Some(before), marked, write)),
        }
    }

    /// Its last state is answered with the version of its removal.
    fn remove(&mut self, key: &Key, last: Arc<Value>, write: &Write<'_>) -> Arc<Value> {
        self.objects.remove(key);
        self.version += 1;
        let mut gone = Value::clone(&last);
        gone["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.log.push_back(Record {
            version: self.version,
            at: write.now,
            key: key.clone(),
            before: Some(last),
            after: None,
        });
        Arc::new(gone)
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

    /// The key with a name: its own, or one made of the object's generateName.
    fn named(&self, key: &Key, object: &Value) -> Result<Key, Failure> {
        let mut key = key.clone();
        if !key.name.is_empty() {
            return Ok(key);
        }
        let prefix = object["metadata"]["generateName"].as_str().unwrap_or("");
        if prefix.is_empty() {
            return Err(validate::unnamed(&key));
        }
        // A name that is taken is tried again.
        for attempt in 0..64 {
            key.name = meta::generated(prefix, self.given, self.version, attempt);
            if !self.objects.contains_key(&key) {
                break;
            }
        }
        Ok(key)
    }

    fn namespace_is_open(&self, key: &Key) -> Result<(), Failure> {
        let Some(name) = &key.namespace else {
            return Ok(());
        };
        let namespace = Key {
            resource: super::resources::namespaces(),
            namespace: None,
            name: name.clone(),
        };
        match self.objects.get(&namespace) {
            None => Err(Failure::not_found(&namespace)),
            Some(live) if live["metadata"].get("deletionTimestamp").is_some() => {
                Err(deletion::terminating(key, name))
            }
            Some(_) => Ok(()),
        }
    }

    fn uid(&self, key: &Key) -> String {
        meta::uid(key, self.given, self.version)
    }

    /// A free address for a Service.
    fn cluster_ip(&self, salt: &str) -> String {
        let services = super::resources::named("services");
        let taken = |address: &str| {
            let mut all = services.into_iter().flat_map(|s| self.list(s, None));
            all.any(|(_, service)| service["spec"]["clusterIP"] == address)
        };
        let mut addresses = (0..).map(|attempt| meta::cluster_ip(salt, attempt));
        let free = addresses.find(|address| !taken(address));
        free.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
