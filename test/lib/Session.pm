# A session that stays open, and what it answers, errors included.
package Session;
use strict;
use warnings;

use Exporter qw(import);
use IPC::Run qw(pump start timeout);

our @EXPORT = qw(session answer answer_after ask has_answered rest leave);

# Of a PostgreSQL::Test::Cluster, in a database and as a role, which are postgres and the caller's if they are not given.
sub session
{
	my ($node, $database, $role) = @_;
	my %session = (in => '', out => '');

	$session{run} = start([ 'psql', '-XAtq', '-d', $node->connstr($database // 'postgres'), $role ? ('-U', $role) : () ],
		'<', \$session{in}, '>', \$session{out}, '2>', \$session{out}, timeout(300));
	return \%session;
}

# Sends statements, and does not wait.
sub ask
{
	my ($session, $statements) = @_;

	$session->{out} = '';
	$session->{in} .= "$statements\n\\echo -- end\n";
	$session->{run}->pump_nb;
	return;
}

# Whether it has answered yet.
sub has_answered
{
	my ($session) = @_;

	$session->{run}->pump_nb;
	return $session->{out} =~ /^-- end$/m;
}

# What it answers to the statements that were sent.
sub rest
{
	my ($session) = @_;

	pump $session->{run} until $session->{out} =~ /^-- end$/m;
	return $session->{out} =~ s/-- end\n//r;
}

sub answer
{
	my ($session, $statements) = @_;

	ask($session, $statements);
	return rest($session);
}

# Runs statements that wait until another session has changed row 1 of the table waits, and returns their answer, its lines sorted.
# Then all rows of the table become as they were.
sub answer_after
{
	my ($node, $change, $statements) = @_;
	# Not for ever: a scan that does not find the row does not wait for it.
	my $wait = <<'SQL';
DO $$
BEGIN
	FOR i IN 1..1000 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid');
		PERFORM pg_sleep(0.01);
	END LOOP;
END$$
SQL
	my $other = start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), map { ('-c', $_) }
			'BEGIN', "UPDATE waits SET $change WHERE id = 1", 'SELECT pg_advisory_lock(1)', $wait, 'COMMIT' ],
		'>', \my $ignored);
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory'");
	my $answer = join("\n", sort split /\n/, $node->safe_psql('postgres', $statements));
	$other->finish;
	$node->safe_psql('postgres', 'UPDATE waits SET n = id * 100, changes = 0 WHERE n <> id * 100 OR changes <> 0');
	return $answer;
}

sub leave
{
	my ($session) = @_;

	$session->{in} .= "\\q\n";
	$session->{run}->finish;
	return;
}

1;
