# A session that stays open, and what it answers, errors included.
package Session;
use strict;
use warnings;

use Exporter qw(import);
use IPC::Run qw(pump start timeout);

our @EXPORT = qw(session answer ask has_answered rest leave);

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

sub leave
{
	my ($session) = @_;

	$session->{in} .= "\\q\n";
	$session->{run}->finish;
	return;
}

1;
