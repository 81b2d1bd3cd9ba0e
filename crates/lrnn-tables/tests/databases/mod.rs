//! Databases for tests: DuckDB through Python, a PostgreSQL server of our own. Where they are missing, that is said.
#![allow(clippy::print_stderr, dead_code)]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns an empty folder of its own.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn python() -> String {
    std::env::var("LRNN_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Tells whether Python can do something, and says if not.
fn can(code: &str, what: &str) -> bool {
    let found = Command::new(python()).args(["-c", code]).output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("SKIPPED: {} has no {what}, which is NOT tested", python());
    }
    is_there
}

/// Tells whether Python has DuckDB, which reads Parquet as well, and says so if not.
pub fn has_duckdb() -> bool {
    can("import duckdb", "package duckdb")
}

/// Tells whether Python has SQLite with mathematical functions, and says so if not.
pub fn has_sqlite() -> bool {
    can("import sqlite3; sqlite3.connect(':memory:').execute('select exp(1)')", "SQLite with functions")
}

/// Runs statements on a DuckDB file; returns the rows of the last as CSV.
pub fn run_duckdb(database: &Path, sql: &str) -> String {
    run_python(
        "import duckdb; rows = duckdb.connect(sys.argv[1]).execute('SET enable_progress_bar = false; ' + sql).fetchall()",
        database,
        sql,
    )
}

/// Runs statements on a SQLite file, and a query behind them; returns its rows as CSV.
pub fn run_sqlite(database: &Path, sql: &str, query: &str) -> String {
    let code = "import sqlite3; it = sqlite3.connect(sys.argv[1]); at = sql.rindex('-- query'); \
                it.executescript(sql[:at]); rows = it.execute(sql[at:]).fetchall()";
    run_python(code, database, &format!("{sql}\n-- query\n{query}"))
}

fn run_python(code: &str, database: &Path, sql: &str) -> String {
    let script = database.with_extension("sql");
    std::fs::write(&script, sql).expect("a file");
    let code = format!(
        "import csv, sys; sql = open(sys.argv[2]).read(); {code}; csv.writer(sys.stdout).writerows(rows)"
    );
    let run = Command::new(python()).args(["-c", &code]).arg(database).arg(&script).output().expect("Python");
    assert!(run.status.success(), "{}: {}", script.display(), String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("UTF-8")
}

/// Returns statements that make three banks, where keys have several columns: the number of an account, or of a clerk,
/// says nothing without its bank, and an account is closed where senior clerks booked twice or more.
pub fn banks() -> String {
    let mut sql = "CREATE TABLE account (kind text, bank text, number integer, closed text, PRIMARY KEY (number, bank));
        CREATE TABLE clerk (bank text, no integer, grade text, PRIMARY KEY (bank, no));
        CREATE TABLE booking (bank text, account integer, seq integer, clerk integer, amount integer, \
            PRIMARY KEY (bank, account, seq), FOREIGN KEY (account, bank) REFERENCES account (number, bank), \
            FOREIGN KEY (bank, clerk) REFERENCES clerk (bank, no));"
        .to_owned();
    let grades = ["senior", "junior"];
    let mut random = 7_u32;
    let mut below = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % most
    };
    for (at, bank) in (0..).zip(["north", "south", "ea/st"]) {
        for no in 0..6 {
            let grade = grades[(at + no) % 2];
            sql += &format!("INSERT INTO clerk VALUES ('{bank}', {no}, '{grade}');");
        }
        for number in 0..60 {
            let clerks: Vec<u32> = (0..=below(5)).map(|_| below(6)).collect();
            let senior = clerks.iter().filter(|&&no| (at + no as usize).is_multiple_of(2)).count();
            let (kind, closed) = (below(3), if senior > 1 { "yes" } else { "no" });
            sql += &format!("INSERT INTO account VALUES ('k{kind}', '{bank}', {number}, '{closed}');");
            for (seq, clerk) in clerks.iter().enumerate() {
                let amount = below(90);
                sql += &format!("INSERT INTO booking VALUES ('{bank}', {number}, {seq}, {clerk}, {amount});");
            }
        }
    }
    sql
}

/// A PostgreSQL server of its own on the loopback, which stops when it is dropped.
pub struct Server {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// Starts a server, if its programs are there.
    pub fn start(folder: PathBuf) -> Option<Self> {
        let server = Self::find(folder);
        if server.is_none() {
            eprintln!("SKIPPED: there is no PostgreSQL server (Debian: postgresql); it is NOT tested");
        }
        server
    }

    fn find(folder: PathBuf) -> Option<Self> {
        let versions = Path::new("/usr/lib/postgresql").read_dir().ok()?;
        let mut versions: Vec<PathBuf> =
            versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
        versions.sort();
        let programs = versions.pop().filter(|programs| programs.join("initdb").exists())?;
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let server = Self { programs, folder, port };
        let data = server.folder.join("data").display().to_string();
        let _ = Command::new("chown").arg("postgres").arg(&server.folder).status();
        server.run("initdb", &["-D", &data, "-A", "trust", "-U", "lrnn", "-E", "UTF8", "--no-sync"]);
        let options = format!("-p {port} -h 127.0.0.1 -k '' -F");
        server.run("pg_ctl", &["-D", &data, "-o", &options, "-l", &format!("{data}/log"), "-w", "start"]);
        Some(server)
    }

    /// Runs a program of the server; as its own user where the user is root, which servers refuse.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let path = self.programs.join(program);
        let is_root =
            std::fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0);
        let mut command = match is_root {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(&path);
                command
            }
            false => Command::new(&path),
        };
        let log = std::fs::File::create(self.folder.join("said")).expect("a file");
        let said = log.try_clone().expect("a file");
        let status =
            command.args(arguments).current_dir("/").stdout(log).stderr(said).status().expect("a program");
        let text = std::fs::read_to_string(self.folder.join("said")).unwrap_or_default();
        assert!(status.success(), "{program}: {text}");
        Output { status, stdout: Vec::new(), stderr: Vec::new() }
    }

    pub fn url(&self) -> String {
        format!("postgresql://lrnn@127.0.0.1:{}/postgres", self.port)
    }

    /// Runs statements; returns the rows of a selection as CSV.
    pub fn sql(&self, text: &str) -> String {
        // Tests share a server, but no script.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let script = std::env::temp_dir().join(format!("lrnn-{}-{number}.sql", self.port));
        std::fs::write(&script, text).expect("a file");
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args([&self.url(), "-X", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "-f"]).arg(&script);
        let output = psql.env("PGOPTIONS", "-c statement_timeout=120s").output().expect("psql");
        assert!(output.status.success(), "{}: {}", script.display(), String::from_utf8_lossy(&output.stderr));
        let _ = std::fs::remove_file(&script);
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.join("data").display().to_string();
        self.run("pg_ctl", &["-D", &data, "-m", "immediate", "-w", "stop"]);
    }
}
