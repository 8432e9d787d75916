//! Drivers of databases, caches and brokers.

use super::{Kind, Row, address};

pub(super) const ROWS: &[Row] = &[
    Row::new("redis-py-name", Kind::Unresolved, &["connecting to "])
        .pattern(r"\bError -\d connecting to (?P<n>[\w.-]+):\d{1,5}\. ")
        .sample("redis.exceptions.ConnectionError: Error -2 connecting to redis.invalid:6379. Name or service not known.", "redis.invalid"),
    Row::new("redis-py", Kind::Upstream, &["connecting to "])
        .pattern(concat!(r"\bError \d+ connecting to ", address!(), r"\. "))
        .sample(
            "redis.exceptions.ConnectionError: Error 111 connecting to 10.96.0.7:6379. Connection refused.",
            "10.96.0.7:6379",
        ),
    // psycopg, psql, SQLAlchemy.
    Row::new("libpq", Kind::Upstream, &["connection to server at \""])
        .pattern(r#"\bconnection to server at "(?P<h>[\w.:-]+)"(?: \([0-9A-Fa-f.:]+\))?, port (?P<p>\d{1,5}) failed: "#)
        .sample(
            r#"psycopg2.OperationalError: connection to server at "10.96.0.7", port 5432 failed: Connection refused"#,
            "10.96.0.7:5432",
        ),
    Row::new("libpq-name", Kind::Unresolved, &["could not translate host name"])
        .pattern(r#"\bcould not translate host name "(?P<n>[\w.-]+)" to address: "#)
        .sample(
            r#"psycopg2.OperationalError: could not translate host name "db.invalid" to address: Name or service not known"#,
            "db.invalid",
        ),
    Row::new("pgjdbc", Kind::Upstream, &[" refused"])
        .pattern(concat!(r"\bConnection to ", address!(), r" refused\. "))
        .sample(
            "org.postgresql.util.PSQLException: Connection to 10.96.0.7:5432 refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.",
            "10.96.0.7:5432",
        ),
    Row::new("pymysql", Kind::Unnamed, &["Can't connect to MySQL"])
        .pattern(r"\bCan't connect to MySQL server on '[\w.-]+' \(")
        .sample(
            r#"pymysql.err.OperationalError: (2003, "Can't connect to MySQL server on '10.96.0.7' ([Errno 111] Connection refused)")"#,
            "",
        ),
    Row::new("mysql-client", Kind::Upstream, &["Can't connect to MySQL"])
        .pattern(concat!(r"\bCan't connect to MySQL server on '", address!(), r"' \(\d+\)"))
        .sample("ERROR 2003 (HY000): Can't connect to MySQL server on '10.96.0.7:3306' (111)", "10.96.0.7:3306"),
    Row::new("connector-j", Kind::Unnamed, &["Communications link failure"])
        .pattern(r"\bCommunications link failure")
        .sample("com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure", ""),
    Row::new("php-pdo", Kind::Unnamed, &["SQLSTATE["])
        .pattern(r"\bSQLSTATE\[HY000\] \[2002\] ")
        .sample("PDOException: SQLSTATE[HY000] [2002] Connection refused", ""),
    Row::new("pymongo-name", Kind::Unresolved, &["[Errno "])
        .pattern(r"(?:^|[\s'\x22(,])(?P<n>[A-Za-z0-9][\w.-]*):\d{1,5}: \[Errno -\d\] (?:Name or service not known|Temporary failure in name resolution)")
        .sample(
            "pymongo.errors.ServerSelectionTimeoutError: mongo.invalid:27017: [Errno -2] Name or service not known (configured timeouts: socketTimeoutMS: 20000.0ms, connectTimeoutMS: 20000.0ms)",
            "mongo.invalid",
        ),
    Row::new("pymongo", Kind::Upstream, &["[Errno "])
        .pattern(concat!(r"(?:^|[\s'\x22(,])", address!(), r": \[Errno \d+\] "))
        .sample(
            "pymongo.errors.ServerSelectionTimeoutError: 10.96.0.7:27017: [Errno 111] Connection refused (configured timeouts: socketTimeoutMS: 20000.0ms, connectTimeoutMS: 20000.0ms)",
            "10.96.0.7:27017",
        ),
    Row::new("kafka-java", Kind::Upstream, &["could not be established"])
        .pattern(r"\bConnection to node -?\d+ \([\w.-]*/(?P<h>[0-9A-Fa-f:.]+):(?P<p>\d{1,5})\) could not be established\.")
        .sample(
            "[Producer clientId=producer-1] Connection to node -1 (kafka.shop/10.96.0.7:9092) could not be established. Broker may not be available.",
            "10.96.0.7:9092",
        ),
];
